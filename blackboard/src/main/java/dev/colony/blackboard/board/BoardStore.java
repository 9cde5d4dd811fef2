package dev.colony.blackboard.board;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.protocol.KeyGlob;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * One scope as a backend keeps it. Keys, tags and names are valid when they come here. Stages fail
 * with {@link dev.colony.blackboard.BlackboardException} only; a value over the limit is refused at
 * once with {@link IllegalArgumentException}. Thread-safe; no call blocks.
 */
public interface BoardStore {

  Scope scope();

  /** Takes effect once, however often a reconnecting client repeats it. */
  CompletionStage<CommitOutcome> commit(Commit commit);

  /**
   * The entries of one moment, in the order of the keys, empty where absent or expired.
   *
   * @param touch where present, the reading counts as use for it
   */
  CompletionStage<List<Optional<Entry>>> read(List<String> keys, Optional<Eviction> touch);

  /** See {@link dev.colony.blackboard.Blackboard#query}. */
  CompletionStage<EntryPage> query(Query query);

  /** See {@link dev.colony.blackboard.Blackboard#clear}. */
  CompletionStage<Long> clear(String writer);

  /** See {@link dev.colony.blackboard.Blackboard#history}. */
  CompletionStage<List<BlackboardEvent>> history(EventFilter filter, Position after, int limit);

  /** See {@link dev.colony.blackboard.Blackboard#subscribe}. */
  void subscribe(
      EventFilter filter, SubscribeFrom from, Flow.Subscriber<? super BlackboardEvent> subscriber);

  /** See {@link dev.colony.blackboard.Blackboard#acknowledge}. */
  CompletionStage<Void> acknowledge(String subscription, Position position);

  /** See {@link dev.colony.blackboard.Blackboard#forget}. */
  CompletionStage<Boolean> forget(String subscription);

  /** See {@link dev.colony.blackboard.Blackboard#wakeOn}. */
  CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs);

  CompletionStage<ScopeStatistics> statistics();

  /** One of the changes of a commit. */
  sealed interface Change {

    String key();

    /**
     * Writes the entry.
     *
     * @param recipient whose inbox takes it too
     * @param offered whether it is refused where too much waits for the recipient already
     */
    record Put(
        String key,
        JsonNode value,
        Set<String> tags,
        Map<String, String> metadata,
        Optional<Duration> ttl,
        Optional<String> recipient,
        boolean offered)
        implements Change {}

    /**
     * Gives the entry this time to live, from now on, and changes nothing else of it; without an
     * event. Nothing happens if it is absent.
     */
    record Limit(String key, Duration ttl) implements Change {}

    /** Deletes the entry; nothing happens if it is absent. */
    record Remove(String key) implements Change {}
  }

  /** What must hold of an entry for a commit to happen. */
  sealed interface CommitCondition {

    String key();

    /** The entry has this version; 0 means that it is absent. */
    record Version(String key, long version) implements CommitCondition {}

    /**
     * The entry was last written at this position; {@link Position#BEGINNING} means that it is
     * absent.
     */
    record WrittenAt(String key, Position position) implements CommitCondition {}
  }

  /** What became of a commit. */
  sealed interface CommitOutcome {

    /**
     * It took effect.
     *
     * @param changes one for each change, in their order; empty where an absent entry was to be
     *     removed
     * @param head the position of the scope's newest event right after it
     */
    record Done(List<Optional<Changed>> changes, Position head) implements CommitOutcome {}

    /**
     * A change that took effect.
     *
     * @param version the entry's version after it; of a removed entry, the version it had
     * @param position of the event
     */
    record Changed(long version, Position position) {}

    /**
     * The first expectation that did not hold.
     *
     * @param actualVersion the version the entry has, 0 if it is absent
     */
    record Failed(String key, long actualVersion) implements CommitOutcome {}
  }

  /**
   * Changes that take effect all at once, in their order, if every expectation holds before them;
   * expired entries count as absent.
   *
   * @param changes possibly none: then only the expectations are checked
   * @param eviction applied after them
   */
  record Commit(
      String writer,
      List<CommitCondition> expectations,
      List<Change> changes,
      Optional<Eviction> eviction) {}
}
