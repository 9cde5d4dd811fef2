package dev.colony.blackboard.memory;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.feed.LoggedEvent;
import java.util.Optional;
import java.util.Set;

record MemoryEvent(BlackboardEvent event, Position previous) implements LoggedEvent {

  @Override
  public Position position() {
    return event.position();
  }

  @Override
  public EventType type() {
    return event.type();
  }

  @Override
  public Optional<String> key() {
    return event.entryKey();
  }

  @Override
  public String writer() {
    return event.writer();
  }

  @Override
  public Set<String> tags() {
    return event instanceof BlackboardEvent.OfEntry one ? one.tags() : Set.of();
  }

  @Override
  public int bytes() {
    return 0;
  }
}
