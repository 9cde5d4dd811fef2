package dev.colony.blackboard.feed;

import dev.colony.blackboard.Position;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The stored events of one scope. Stages fail with {@link
 * dev.colony.blackboard.BlackboardException}.
 */
public interface EventLog {

  /** The position of the newest event, {@link Position#BEGINNING} where there never was one. */
  CompletionStage<Position> head();

  /** The oldest events after a position; fewer than the limit only where no more are stored. */
  CompletionStage<List<LoggedEvent>> read(Position after, int limit);
}
