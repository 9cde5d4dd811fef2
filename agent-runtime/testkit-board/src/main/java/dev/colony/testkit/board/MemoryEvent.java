package dev.colony.testkit.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import dev.colony.blackboard.value.ValueCodec;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** A stored event. That of a write shares the bytes of the value with the entry. */
record MemoryEvent(
    Position position,
    Position previous,
    EventType type,
    Optional<String> key,
    String writer,
    Set<String> tags,
    int bytes,
    Supplier<BlackboardEvent> decoder)
    implements LoggedEvent {

  /** About what an event takes besides its value. */
  private static final int HEAD_BYTES = 200;

  static MemoryEvent written(
      Scope scope, MemoryEntry entry, long oldVersion, Position previous, ValueCodec codec) {
    return new MemoryEvent(
        entry.position(),
        previous,
        EventType.WRITTEN,
        Optional.of(entry.key()),
        entry.updatedBy(),
        entry.tags(),
        HEAD_BYTES + entry.value().length,
        () ->
            new BlackboardEvent.Written(
                scope,
                entry.key(),
                entry.position(),
                entry.updatedAt(),
                entry.updatedBy(),
                codec.value(entry.value()),
                oldVersion,
                entry.version(),
                entry.tags()));
  }

  /** An event without a value. */
  static MemoryEvent of(BlackboardEvent event, Position previous) {
    return new MemoryEvent(
        event.position(),
        previous,
        event.type(),
        event.entryKey(),
        event.writer(),
        event instanceof BlackboardEvent.OfEntry one ? one.tags() : Set.of(),
        HEAD_BYTES,
        () -> event);
  }

  @Override
  public BlackboardEvent event() {
    return decoder.get();
  }
}
