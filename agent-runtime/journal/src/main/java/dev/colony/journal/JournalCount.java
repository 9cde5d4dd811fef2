package dev.colony.journal;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

/**
 * Counts the events that stand in the journal, without waking their agents: for tests and benches
 * that have to show that none is missing and none is there twice.
 */
public final class JournalCount {

  private static final Executor HANDLER = ForkJoinPool.commonPool();

  private final Journal journal;

  JournalCount(Journal journal) {
    this.journal = journal;
  }

  /**
   * How many events of each manifest a log holds; deleted ones are not counted, gap markers
   * neither. Reads the whole log.
   *
   * @return fails with {@link DamagedLogException} over a hole, as a recovery would
   */
  public CompletionStage<Map<String, Long>> byManifest(String persistenceId) {
    Map<String, Long> counts = new ConcurrentHashMap<>();
    return journal
        .log()
        .highest(persistenceId, 0)
        .thenCompose(last ->
            journal
                .log()
                .replay(
                    new ReplayCursor(persistenceId, 1, last, Long.MAX_VALUE),
                    journal.settings().replayBatch(),
                    HANDLER,
                    replayed -> counts.merge(replayed.event().manifest(), 1L, Long::sum)))
        .thenApply(done -> counts);
  }
}
