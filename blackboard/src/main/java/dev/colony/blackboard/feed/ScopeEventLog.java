package dev.colony.blackboard.feed;

import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The stored events of one scope. Stages fail with {@link
 * dev.colony.blackboard.BlackboardException}.
 */
public interface ScopeEventLog {

  /**
   * Some events in their order.
   *
   * @param end whether no more were stored
   */
  record Page(List<LoggedEvent> events, boolean end) {}

  /** The position of the newest event, {@link Position#BEGINNING} where there never was one. */
  CompletionStage<Position> head();

  /**
   * The oldest events after a position.
   *
   * @param limit how many at most
   * @param maxBytes how many bytes of values at most; the first event comes whatever its size
   */
  CompletionStage<Page> read(Position after, int limit, long maxBytes);

  /**
   * What was last acknowledged under a name; makes the durable subscription where it is new. One
   * that begins with all that is retained is then at the predecessor of the oldest stored event, so
   * that events trimmed from there on are missed.
   */
  CompletionStage<Position> acknowledged(SubscribeFrom.Durable durable);
}
