package dev.colony.client;

import dev.colony.agent.AgentRun;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What the blackboard has of a run. Whether a run was asked for, and whether it has ended, is asked
 * here by handles, nodes and the API alike.
 *
 * @param request the position of its request; empty for one that no caller has asked for, and where
 *     it is gone
 * @param result the entry that says how it ended; empty while it has not
 */
public record StoredRun(RunPlace place, Optional<Position> request, Optional<Entry> result) {

  /** Reads it at one moment; fails as the blackboard does. */
  public static CompletionStage<StoredRun> read(RunPlace place, Blackboard board) {
    return board.readAll(place.keys()).thenApply(found -> of(place, found));
  }

  static CompletionStage<StoredRun> read(RunPlace place, Transaction tx) {
    return tx.readAll(place.keys()).thenApply(found -> of(place, found));
  }

  static StoredRun of(RunPlace place, List<Entry> found) {
    return new StoredRun(
        place,
        entry(found, place.requestKey()).map(Entry::position),
        entry(found, place.resultKey()));
  }

  private static Optional<Entry> entry(List<Entry> found, String key) {
    return found.stream().filter(entry -> entry.key().equals(key)).findFirst();
  }

  /**
   * How the run ended; empty while it has not. What stands where its result does and is none ends
   * it as failed.
   */
  public Optional<AgentRun> end() {
    return result.map(entry -> place.result(entry.value()));
  }

  /** Whether it was asked for and has not ended. */
  public boolean open() {
    return request.isPresent() && result.isEmpty();
  }

  public boolean gone() {
    return request.isEmpty() && result.isEmpty();
  }

  /** Whether its agent never accepted it, so that it may be asked for again. */
  boolean refused() {
    return place.ownRun() && end().filter(AgentRun::refused).isPresent();
  }
}
