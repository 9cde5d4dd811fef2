package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.redis.RedisFailure.BrokenConnection;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Has a change count as stored only when replicas have it, so that one of them can be promoted and
 * nothing is lost that was acknowledged.
 *
 * <p>WAIT tells what replicas have of all that its own connection has written. So after a change
 * has been answered, a small key is written over a connection that is used for nothing else, and
 * WAIT is sent behind it: who has that key has all that came before. One such wait is under way for
 * each server; changes that are answered meanwhile share the next.
 *
 * <p>A change that was answered by a server that has lost its place since would be waited for at
 * another, which never had it. Where any connection was lost between sending a change and the end
 * of its wait, the change is therefore sent again: it must do nothing a second time.
 */
final class ReplicaWait implements AutoCloseable {

  /** How long one WAIT lasts; it is sent again until the command timeout is over. */
  private static final Duration ROUND = Duration.ofSeconds(1);

  /** How long the small key stays. */
  private static final SetArgs FOR_A_MINUTE = SetArgs.Builder.px(Duration.ofMinutes(1));

  private static final byte[] VALUE = {'1'};

  private final StatefulConnection<String, byte[]> connection;
  private final int replicas;
  private final Duration patience;
  private final AtomicLong lost = new AtomicLong();
  private final Map<String, Queue> queues = new HashMap<>();

  /** Of one server. */
  private static final class Queue {
    private CompletableFuture<Void> next = new CompletableFuture<>();
    private boolean waited;
    private boolean running;
  }

  /** A connection was lost between a change and the end of its wait. */
  private static final class LostMeanwhile extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LostMeanwhile() {
      super("a connection was lost", null, false, false);
    }
  }

  /**
   * @param connection of its own
   * @param replicas how many have to have it, at least 1
   * @param patience how long a change may take with its wait
   */
  ReplicaWait(StatefulConnection<String, byte[]> connection, int replicas, Duration patience) {
    this.connection = connection;
    this.replicas = replicas;
    this.patience = patience;
  }

  /** A connection to Redis was lost. */
  void lost() {
    lost.incrementAndGet();
  }

  /**
   * Completes with what the change was answered when replicas have it.
   *
   * @param key one that the change is about
   * @return fails as the change does, and with reason TIMEOUT where too few replicas have it in
   *     time: it is stored nevertheless, and may be lost
   */
  <T> CompletionStage<T> stored(String key, Supplier<CompletionStage<T>> change) {
    return stored(key, change, Deadline.in(patience));
  }

  private <T> CompletionStage<T> stored(
      String key, Supplier<CompletionStage<T>> change, Deadline deadline) {
    long before = lost.get();
    return change
        .get()
        .thenCompose(answer ->
            wait(key)
                .thenApply(waited -> {
                  if (lost.get() != before) {
                    throw new LostMeanwhile();
                  }
                  return answer;
                }))
        .exceptionallyCompose(failure ->
            BrokenConnection.cause(failure) instanceof LostMeanwhile && !deadline.passed()
                ? stored(key, change, deadline)
                : CompletableFuture.failedStage(failure));
  }

  private CompletionStage<Void> wait(String key) {
    String server = server(key);
    Queue queue;
    CompletableFuture<Void> batch;
    boolean begins;
    synchronized (queues) {
      queue = queues.computeIfAbsent(server, any -> new Queue());
      batch = queue.next;
      queue.waited = true;
      begins = !queue.running;
      queue.running = true;
    }
    if (begins) {
      run(queue, server, key);
    }
    return batch;
  }

  private void run(Queue queue, String server, String key) {
    CompletableFuture<Void> batch;
    synchronized (queues) {
      batch = queue.next;
      queue.next = new CompletableFuture<>();
      queue.waited = false;
    }
    attempt(server, key, Deadline.in(patience))
        .whenComplete((done, failure) -> {
          boolean more;
          synchronized (queues) {
            more = queue.waited;
            queue.running = more;
          }
          if (more) {
            run(queue, server, key);
          }
          if (failure == null) {
            batch.complete(null);
          } else {
            batch.completeExceptionally(BrokenConnection.cause(failure));
          }
        });
  }

  private CompletionStage<Void> attempt(String server, String key, Deadline deadline) {
    return BrokenConnection.survive(() -> ask(server, key))
        .thenCompose(have -> {
          if (have >= replicas) {
            return CompletableFuture.completedStage(null);
          }
          if (!deadline.passed()) {
            return attempt(server, key, deadline);
          }
          return CompletableFuture.failedStage(
              new BlackboardException(
                  Reason.TIMEOUT,
                  "%d of the %d replicas that colony.blackboard.redis.wait-replicas asks for have what was written after %s; is a replica away?"
                      .formatted(have, replicas, patience)));
        });
  }

  /** How many replicas have all that the server has been told. */
  private CompletionStage<Long> ask(String server, String key) {
    return switch (connection) {
      case StatefulRedisConnection<String, byte[]> one -> ask(one.async(), key);
      case StatefulRedisClusterConnection<String, byte[]> many ->
          many.getConnectionAsync(server).thenCompose(one -> ask(one.async(), key));
      default -> throw new IllegalStateException("an unknown connection: " + connection);
    };
  }

  private CompletionStage<Long> ask(RedisAsyncCommands<String, byte[]> redis, String key) {
    CompletionStage<String> written = redis.set(small(key), VALUE, FOR_A_MINUTE);
    CompletionStage<Long> have = redis.waitForReplication(replicas, ROUND.toMillis());
    return written.thenCombine(have, (done, number) -> number);
  }

  private String server(String key) {
    if (connection instanceof StatefulRedisClusterConnection<String, byte[]> many) {
      RedisClusterNode master = many.getPartitions().getMasterBySlot(SlotHash.getSlot(key));
      return master == null ? "" : master.getNodeId();
    }
    return "";
  }

  /** One for each server, or in a cluster for each hash tag, which stays a minute. */
  private String small(String key) {
    int begin = key.indexOf('{');
    int end = key.indexOf('}', begin);
    boolean cluster = connection instanceof StatefulRedisClusterConnection;
    String tag = cluster && begin >= 0 && end > begin ? key.substring(begin + 1, end) : "all";
    return "colony:{" + tag + "}:replicated";
  }

  @Override
  public void close() {
    connection.close();
  }
}
