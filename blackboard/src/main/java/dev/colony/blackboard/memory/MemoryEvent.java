package dev.colony.blackboard.memory;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.feed.LoggedEvent;

record MemoryEvent(BlackboardEvent event, Position previous) implements LoggedEvent {

  @Override
  public Position position() {
    return event.position();
  }

  @Override
  public String key() {
    return event.key();
  }
}
