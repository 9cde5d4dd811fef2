package dev.colony.blackboard.redis;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.board.Boards;
import dev.colony.blackboard.policy.BoardPolicies;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The blackboard in Redis.
 *
 * <p><b>Atomicity.</b> Write, send and delete are one Lua script each, which changes the entry,
 * stores its event in the scope's stream, pushes it and, for a request, appends it to the inbox.
 *
 * <p><b>Once.</b> Lettuce repeats what was under way when a connection broke, and cannot know what
 * the server had done of it. So every call carries an id of its own, and the script remembers what
 * it did under that id for a while: a repeat is answered with it. Remembering only the last call of
 * an entry would not do, because another writer may come between a call and its repeat. Calls that
 * changed nothing are not remembered: doing them again is as good as the first time.
 *
 * <p><b>Time.</b> Created, updated and expiry times are the server's, in milliseconds.
 *
 * <p><b>Pushed and stored.</b> Events reach subscribers by pub/sub, and from the stream what
 * pub/sub lost: see {@link dev.colony.blackboard.feed}.
 */
public final class RedisBlackboards implements Blackboards {

  static final RedisScript WRITE =
      RedisScript.resources(
          RedisBlackboards.class, ScriptOutputType.VALUE, "scope.lua", "write.lua");
  static final RedisScript DELETE =
      RedisScript.resources(
          RedisBlackboards.class, ScriptOutputType.VALUE, "scope.lua", "delete.lua");

  private static final int PROCESS_BYTES = 6;

  private final RedisConnections connections;
  private final BlackboardSettings settings;
  private final ValueCodec codec;
  private final Boards boards;
  private final RedisReader reader;
  private final Executor subscribers =
      task -> Thread.ofVirtual().name("blackboard-subscriber").start(task);
  private final ScheduledExecutorService sweeper;
  private final RedisFeeds feeds;
  private final RedisInbox inbox;
  private final String process = process();
  private final AtomicLong calls = new AtomicLong();

  /**
   * Opens the blackboard; blocks for a few round trips.
   *
   * @param connections stay the caller's, who closes them after this
   * @throws IllegalArgumentException if the repeat window is shorter than a call may take
   * @throws BlackboardException if Redis does not answer, or holds data laid out for another number
   *     of inbox buckets
   */
  public RedisBlackboards(RedisConnections connections, BlackboardSettings settings) {
    this.connections = connections;
    this.settings = settings;
    this.codec = new ValueCodec(settings.maxValueBytes());
    this.boards = new Boards(settings.retry());
    this.reader = new RedisReader(connections, codec);
    agreeOnBuckets();
    this.feeds = openFeeds();
    this.inbox = new RedisInbox(connections, codec, feeds.hints(), settings.buckets());
    this.sweeper =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("blackboard-sweep").factory());
    long interval = settings.sweepInterval().toMillis();
    sweeper.scheduleWithFixedDelay(feeds::sweep, interval, interval, TimeUnit.MILLISECONDS);
  }

  private void agreeOnBuckets() {
    byte[] mine = Integer.toString(settings.buckets()).getBytes(StandardCharsets.US_ASCII);
    byte[] agreed;
    try {
      agreed =
          connections
              .commands()
              .set(ScopeKeys.BUCKETS, mine, SetArgs.Builder.nx())
              .thenCompose(first -> connections.commands().get(ScopeKeys.BUCKETS))
              .toCompletableFuture()
              .join();
    } catch (RuntimeException failure) {
      throw RedisFailure.of(failure);
    }
    String theirs = new String(agreed, StandardCharsets.US_ASCII);
    if (!theirs.equals(Integer.toString(settings.buckets()))) {
      throw new BlackboardException(
          "colony.blackboard.buckets is %d, but the data at %s are laid out for %s"
              .formatted(settings.buckets(), connections.address(), theirs),
          null,
          false);
    }
  }

  private RedisFeeds openFeeds() {
    try {
      return new RedisFeeds(
          connections, codec, settings.subscriber(), settings.buckets(), subscribers);
    } catch (RuntimeException failure) {
      throw RedisFailure.of(failure);
    }
  }

  @Override
  public Blackboard open(Scope scope, String writer, BoardPolicies policies) {
    return boards.open(new RedisBoardStore(scope), writer, policies);
  }

  @Override
  public CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public BlackboardCounters counters() {
    return boards.counters();
  }

  @Override
  public Inbox inbox() {
    return inbox;
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
    feeds.close();
  }

  CompletionStage<String> run(RedisScript script, List<String> keys, List<byte[]> arguments) {
    CompletionStage<byte[]> reply =
        script.run(
            connections.commands(), keys.toArray(String[]::new), arguments.toArray(byte[][]::new));
    return RedisFailure.translate(reply)
        .thenApply(bytes -> new String(bytes, StandardCharsets.US_ASCII));
  }

  String nextCall() {
    return process + Long.toString(calls.incrementAndGet(), Character.MAX_RADIX);
  }

  BlackboardSettings settings() {
    return settings;
  }

  ValueCodec codec() {
    return codec;
  }

  RedisReader reader() {
    return reader;
  }

  RedisFeeds feeds() {
    return feeds;
  }

  private static String process() {
    byte[] random = new byte[PROCESS_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random) + "-";
  }
}
