package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
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
}
