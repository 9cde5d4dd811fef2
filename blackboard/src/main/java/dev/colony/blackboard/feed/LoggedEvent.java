package dev.colony.blackboard.feed;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import java.util.Optional;
import java.util.Set;

/**
 * An event as the log holds it: linked to the one before it, so that a gap shows, and with all that
 * a filter asks for at hand before its value is decoded.
 */
public interface LoggedEvent {

  Position position();

  /** The position of the event before it in the same scope. */
  Position previous();

  EventType type();

  /** The entry's key; empty for an event of the whole scope. */
  Optional<String> key();

  String writer();

  /** None for an event of the whole scope. */
  Set<String> tags();

  /** What it takes in memory, its value above all. */
  int bytes();

  /** The event itself; may be decoded at each call. */
  BlackboardEvent event();
}
