package dev.colony.journal;

import dev.colony.blackboard.redis.RedisScript;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * The logs of which the store has lost events that it had acknowledged, and what an operator
 * decides about them. Until then such a log takes nothing. Thread-safe; stages fail with {@link
 * JournalException}.
 */
public final class LostLogs {

  static final RedisScript DECIDE =
      RedisScript.resource(LostLogs.class, "decide.lua", ScriptOutputType.INTEGER);
  static final RedisScript RESTORE =
      RedisScript.resource(LostLogs.class, "restore.lua", ScriptOutputType.INTEGER);

  /** In the hash of ticks, before the persistence id of a log that a node is to restore. */
  static final String WANTED = "restore:";

  /** In the hash of ticks: when it was noticed last that the server had gone back. */
  static final String ROLLBACK = "rollback:last";

  private final Journal journal;

  /**
   * The store has gone back to an older state.
   *
   * @param noticed when a node found out
   * @param since from when on what the store acknowledged may be gone
   */
  public record Rollback(Instant noticed, Instant since) {

    @Override
    public String toString() {
      return noticed + " " + since;
    }

    static Rollback parse(byte[] stored) {
      String[] times = new String(stored, StandardCharsets.UTF_8).split(" ");
      return new Rollback(Instant.parse(times[0]), Instant.parse(times[1]));
    }
  }

  /**
   * A log that has lost events.
   *
   * @param stored the sequence number of the last event that is there
   * @param acknowledged that of the last that was acknowledged, as far as is known
   */
  public record Lost(String persistenceId, long stored, long acknowledged) {}

  /** What is to become of the run that was open, from the older state on. */
  public enum Decision {
    /** It goes on; what the lost events did may be done again. */
    CONTINUE,
    /** It ends as failed. */
    CLOSE,
    /** A node has given back what was lost. */
    RESTORED
  }

  /**
   * A decision, until the log's next writer has taken it.
   *
   * @param event how far the log once reached; where it was restored, how far it did before that
   */
  public record Decided(Decision decision, long event) {

    static Optional<Decided> parse(String stored) {
      int blank = stored.indexOf(' ');
      return blank < 0
          ? Optional.empty()
          : Optional.of(
              new Decided(
                  Decision.valueOf(stored.substring(0, blank).toUpperCase(Locale.ROOT)),
                  Long.parseLong(stored, blank + 1, stored.length(), 10)));
    }
  }

  LostLogs(Journal journal) {
    this.journal = journal;
  }

  /** All of them, one read for each slot and log; empty where there are none. */
  public CompletionStage<List<Lost>> list() {
    List<CompletableFuture<List<Lost>>> slots =
        IntStream.range(0, journal.keys().slots())
            .mapToObj(slot -> slot(slot).toCompletableFuture())
            .toList();
    return CompletableFuture.allOf(slots.toArray(CompletableFuture[]::new))
        .thenApply(done -> slots.stream().flatMap(slot -> slot.join().stream()).toList());
  }

  /** The last rollback that a node noticed, one read for each server; empty where none was. */
  public CompletionStage<Optional<Rollback>> lastRollback() {
    List<CompletableFuture<byte[]>> servers =
        journal.watch().hashes().stream()
            .map(hash ->
                journal
                    .retry()
                    .whileItHelps(() -> journal.redis().commands().hget(hash, ROLLBACK))
                    .toCompletableFuture())
            .toList();
    return CompletableFuture.allOf(servers.toArray(CompletableFuture[]::new))
        .thenApply(done ->
            servers.stream()
                .map(CompletableFuture::join)
                .filter(Objects::nonNull)
                .map(Rollback::parse)
                .max(Comparator.comparing(Rollback::noticed)));
  }

  private CompletionStage<List<Lost>> slot(int slot) {
    return journal
        .retry()
        .whileItHelps(() -> journal.redis().commands().smembers(journal.keys().lost(slot)))
        .thenCompose(ids -> {
          List<CompletableFuture<Optional<Lost>>> found =
              ids.stream()
                  .map(id -> find(new String(id, StandardCharsets.UTF_8)).toCompletableFuture())
                  .toList();
          return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
              .thenApply(done -> found.stream().flatMap(one -> one.join().stream()).toList());
        });
  }

  /** What a log has lost; empty where it has lost nothing, or has been decided about. */
  public CompletionStage<Optional<Lost>> find(String persistenceId) {
    return journal.log().look(persistenceId).thenApply(view -> view.lost(persistenceId));
  }

  /**
   * Lets a log go on from what is there. Its next writer learns what was decided.
   *
   * @return false where it has lost nothing, or has been decided about
   */
  public CompletionStage<Boolean> decide(String persistenceId, Decision decision) {
    return journal.log().decide(persistenceId, word(decision));
  }

  /**
   * Asks the nodes to give a log back what it has lost; one that remembers all of it does so at its
   * next tick. {@link #find} tells when that is done; where no node remembers it, never.
   */
  public CompletionStage<Void> restore(String persistenceId) {
    return onEachServer(
        (commands, hash) -> commands.hset(hash, WANTED + persistenceId, new byte[] {'1'}));
  }

  public CompletionStage<Void> giveUpRestoring(String persistenceId) {
    return onEachServer((commands, hash) -> commands.hdel(hash, WANTED + persistenceId));
  }

  private CompletionStage<Void> onEachServer(
      BiFunction<RedisClusterAsyncCommands<String, byte[]>, String, CompletionStage<?>> change) {
    CompletableFuture<?>[] changes =
        journal.watch().hashes().stream()
            .map(hash ->
                journal
                    .retry()
                    .whileItHelps(() -> change.apply(journal.redis().commands(), hash))
                    .toCompletableFuture())
            .toArray(CompletableFuture[]::new);
    return CompletableFuture.allOf(changes);
  }

  private static String word(Decision decision) {
    return decision.name().toLowerCase(Locale.ROOT);
  }

  /** What a node knows of events that the store has lost. Thread-safe. */
  public interface EventLosses {

    /** Of a store that loses nothing. */
    EventLosses NONE =
        new EventLosses() {
          @Override
          public boolean diedUnknown(String node) {
            return false;
          }

          @Override
          public CompletionStage<Void> hold(String persistenceId) {
            return CompletableFuture.completedStage(null);
          }

          @Override
          public Optional<LostLogs.Decided> takeDecision(String persistenceId) {
            return Optional.empty();
          }

          @Override
          public void written(String what, Supplier<? extends CompletionStage<?>> again) {}
        };

    /**
     * Whether a node died together with a store that went back, so that it is unknown what its
     * agents had acknowledged; as far as is known here.
     */
    boolean diedUnknown(String node);

    /**
     * Has a log take nothing until an operator has decided, because its end is unknown; the stage
     * fails where Redis does not answer.
     */
    CompletionStage<Void> hold(String persistenceId);

    /** What an operator has decided about a log that was recovered here; given once. */
    Optional<LostLogs.Decided> takeDecision(String persistenceId);

    /**
     * An agent's write to the blackboard, of which its journal tells, is stored. Should the store
     * go back to an older state soon, it is made again.
     *
     * @param what is being done, for the log
     * @param again makes the same write, which may be repeated at any time; keeps what it refers to
     *     in memory for a while
     */
    void written(String what, Supplier<? extends CompletionStage<?>> again);
  }
}
