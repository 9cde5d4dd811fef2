package dev.colony.testkit;

import dev.colony.agent.AgentId;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.StoredTypes;
import dev.colony.core.lifecycle.StoredTypes.TypeNames;
import dev.colony.journal.Journal.PastEvents;
import dev.colony.journal.JournalReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** What one agent's journal holds, in its stored form; outlives every process. Thread-safe. */
final class TestJournal {

  /** The process is dead. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private record Stored(String name, byte[] bytes) {

    static Stored of(AgentEvent event) {
      try {
        return new Stored(
            TypeNames.of(event.getClass()), StoredTypes.cbor().writeValueAsBytes(event));
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    AgentEvent read() {
      try {
        return (AgentEvent) StoredTypes.read(StoredTypes.SERIALIZER, name, bytes);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }

  private static final String STEP = TypeNames.of(AgentEvent.StepCompleted.class);

  private final KillPoint kill;
  private final List<Stored> stored = new ArrayList<>();
  private long steps;

  TestJournal(KillPoint kill) {
    this.kill = kill;
  }

  /**
   * Stores events in one append.
   *
   * @return them as they are read back
   * @throws Killed if the process is to die of it
   */
  synchronized List<AgentEvent> append(List<AgentEvent> events) {
    List<Stored> batch = events.stream().map(Stored::of).toList();
    if (!kill.write(() -> store(batch))) {
      throw new Killed();
    }
    return batch.stream().map(Stored::read).toList();
  }

  private void store(List<Stored> batch) {
    stored.addAll(batch);
    steps += batch.stream().filter(one -> one.name().equals(STEP)).count();
  }

  /** How many steps it holds. */
  synchronized long steps() {
    return steps;
  }

  synchronized List<AgentEvent> events() {
    return stored.stream().map(Stored::read).toList();
  }

  /** The events as callers read them, of the one agent that there is. */
  PastEvents past(AgentId id) {
    return PastEvents.of(agent -> agent.equals(id.persistenceId()) ? numbered() : List.of());
  }

  List<JournalReader.Stored> numbered() {
    List<JournalReader.Stored> numbered = new ArrayList<>();
    for (AgentEvent event : events()) {
      numbered.add(new JournalReader.Stored(numbered.size() + 1, "test", event));
    }
    return numbered;
  }

  synchronized List<String> names() {
    return stored.stream().map(Stored::name).toList();
  }
}
