package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.clock.ClusterClock.TimeStore;
import io.lettuce.core.ScriptOutputType;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Runs the scripts that change a scope, each call in a {@linkplain Lanes lane}. */
final class ScopeCalls {

  static final RedisScript COMMIT = changing("wakes.lua", "waiting.lua", "commit.lua");
  static final RedisScript CLEAR = changing("clear.lua");
  static final RedisScript DURABLE = changing("durable.lua");
  static final RedisScript WAKE_ON = changing("wakes.lua", "wake_on.lua");
  static final RedisScript EXPIRE =
      RedisScript.resources(
          ScopeCalls.class, ScriptOutputType.INTEGER, "frame.lua", "scope.lua", "expire.lua");

  static final RedisScript TRIM =
      RedisScript.resources(
          ScopeCalls.class, ScriptOutputType.MULTI, "frame.lua", "scope.lua", "trim.lua");

  /** What {@link #CLEAR} answers where more has expired than one call tells of. */
  static final String MORE = "M";

  /** What a script answers to a straggler. */
  private static final String OVERTAKEN = "O";

  private final RedisConnections connections;
  private final BlackboardSettings.Events kept;
  private final InstantSource clock;
  private final Lanes lanes = new Lanes();

  /**
   * @param clock says what time it is for what is written, and what has expired
   */
  ScopeCalls(RedisConnections connections, BlackboardSettings.Events kept, InstantSource clock) {
    this.connections = connections;
    this.kept = kept;
    this.clock = clock;
  }

  private static RedisScript changing(String... names) {
    List<String> all = new ArrayList<>(List.of("frame.lua", "scope.lua"));
    all.addAll(List.of(names));
    return RedisScript.resources(
        ScopeCalls.class, ScriptOutputType.VALUE, all.toArray(String[]::new));
  }

  /** The name under which this process has its lanes. */
  String process() {
    return lanes.process();
  }

  /** Takes effect once, and answers what the script returned. */
  CompletionStage<String> change(
      RedisScript script, ScopeKeys keys, String writer, List<byte[]> arguments) {
    Lanes.Call call = lanes.begin();
    String[] redisKeys = {keys.base(), keys.lane(lanes.process(), call.lane())};
    byte[][] all = arguments(kept, call.number(), writer, arguments, clock.instant());
    CompletionStage<byte[]> reply =
        connections.replicated(
            keys.base(), () -> script.run(connections.commands(), redisKeys, all));
    return RedisFailure.translate(reply.whenComplete((done, failure) -> lanes.end(call)))
        .thenApply(ScopeCalls::text);
  }

  /**
   * Removes entries of a bucket whose time is over, and what clearings have left.
   *
   * @return in how many milliseconds to look again, -1 for never
   */
  CompletionStage<Long> expire(int bucket, int limit) {
    return RedisFailure.translate(
        EXPIRE.run(
            connections.commands(),
            new String[] {ScopeKeys.expiring(bucket)},
            arguments(
                kept,
                0,
                "",
                List.of(Integer.toString(limit).getBytes(US_ASCII)),
                clock.instant())));
  }

  /** See {@link Blackboards#trim}. */
  CompletionStage<Blackboards.Trimmed> trim(
      int bucket, Optional<Scope> after, int scopes, Duration age) {
    List<byte[]> arguments =
        List.of(
            after.map(Scope::path).orElse("").getBytes(UTF_8),
            Integer.toString(scopes).getBytes(US_ASCII),
            Long.toString(age.toMillis()).getBytes(US_ASCII));
    CompletionStage<List<Object>> reply =
        TRIM.run(
            connections.commands(),
            new String[] {ScopeKeys.scopes(bucket)},
            arguments(kept, 0, "", arguments, clock.instant()));
    return RedisFailure.translate(reply)
        .thenApply(found -> {
          String last = new String((byte[]) found.getFirst(), UTF_8);
          return new Blackboards.Trimmed(
              Math.toIntExact((Long) found.getLast()),
              last.isEmpty() ? Optional.empty() : Optional.of(Scope.parse(last)));
        });
  }

  /** What scope.lua wants, what its user wants besides, and the time for frame.lua. */
  static byte[][] arguments(
      BlackboardSettings.Events kept, long number, String writer, List<byte[]> more, Instant now) {
    List<byte[]> all = new ArrayList<>(more.size() + 6);
    all.add(Long.toString(number).getBytes(US_ASCII));
    all.add(writer.getBytes(UTF_8));
    all.add(Integer.toString(kept.kept()).getBytes(US_ASCII));
    all.add(Integer.toString(kept.keptForDurable()).getBytes(US_ASCII));
    all.add(Long.toString(kept.keptBytes()).getBytes(US_ASCII));
    all.addAll(more);
    all.add(RedisTime.argument(now));
    return all.toArray(byte[][]::new);
  }

  private static String text(byte[] reply) {
    String text = new String(reply, UTF_8);
    if (text.equals(OVERTAKEN)) {
      throw new BlackboardException(
          BlackboardException.Reason.INTERNAL,
          "a call was overtaken in its lane; two processes with one name?");
    }
    return text;
  }

  /**
   * By what a script knows a call that it has carried out already.
   *
   * <p>Lettuce repeats what was under way when a connection broke, and cannot know what the server
   * had done of it. To remember in Redis what every call of the last minutes did would take memory
   * in proportion to their rate. So calls go in <em>lanes</em>, one at a time in each: a call takes
   * the lowest free lane of its process and the next number, and its script keeps under the lane
   * what the last call did, and its number. The same number again is a repeat, and is answered with
   * what was kept. A lower number is a straggler: a copy that lay in a socket of a broken
   * connection, or in a server that hung, while its caller had the answer by the other copy or gave
   * up. It is refused. There are as many lanes as calls were ever under way at once, and Redis
   * forgets a lane a day after its last call.
   *
   * <p>A lane is free again only when its call has ended for its caller, repeats included.
   * Remembering only the last call of an entry would not do, because another writer may come
   * between a call and its repeat.
   */
  static final class Lanes {

    private static final int PROCESS_BYTES = 6;

    /**
     * @param number greater than that of every call before it
     */
    record Call(int lane, long number) {}

    private final String process;
    private final BitSet taken = new BitSet();
    private int lowest;
    private long last;

    Lanes() {
      byte[] random = new byte[PROCESS_BYTES];
      new SecureRandom().nextBytes(random);
      this.process = HexFormat.of().formatHex(random);
    }

    /** The same for the life of this process, and of no other. */
    String process() {
      return process;
    }

    synchronized Call begin() {
      int lane = taken.nextClearBit(lowest);
      taken.set(lane);
      lowest = lane + 1;
      return new Call(lane, ++last);
    }

    synchronized void end(Call call) {
      taken.clear(call.lane());
      lowest = Math.min(lowest, call.lane());
    }
  }

  /** The cluster time in Redis, one key of one server. */
  record RedisTime(RedisConnections connections) implements TimeStore {

    static final RedisScript AGREE =
        RedisScript.resource(RedisTime.class, "clock.lua", ScriptOutputType.VALUE);

    private static final String[] KEYS = {ScopeKeys.CLOCK};

    @Override
    public CompletionStage<Reading> agree(Optional<Instant> mine) {
      byte[] estimate = mine.map(RedisTime::argument).orElse(new byte[0]);
      return RedisFailure.translate(
          AGREE.<byte[]>run(connections.commands(), KEYS, estimate).thenApply(RedisTime::reading));
    }

    private static Reading reading(byte[] reply) {
      String[] millis = new String(reply, US_ASCII).split(" ");
      return new Reading(
          Instant.ofEpochMilli(Long.parseLong(millis[0])),
          Instant.ofEpochMilli(Long.parseLong(millis[1])));
    }

    /** The time as scripts take it, as their last argument: see frame.lua. */
    static byte[] argument(Instant now) {
      return Long.toString(now.toEpochMilli()).getBytes(US_ASCII);
    }
  }
}
