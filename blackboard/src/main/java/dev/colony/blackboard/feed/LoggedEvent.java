package dev.colony.blackboard.feed;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;

/** An event as the log holds it: linked to the one before it, so that a gap shows. */
public interface LoggedEvent {

  Position position();

  /** The position of the event before it in the same scope. */
  Position previous();

  String key();

  /** The event itself; may be decoded at each call. */
  BlackboardEvent event();
}
