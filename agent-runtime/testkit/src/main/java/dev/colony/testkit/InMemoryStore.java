package dev.colony.testkit;

import dev.colony.core.lifecycle.StoredTypes;
import dev.colony.journal.Journal.PastEvents;
import dev.colony.journal.JournalReader.Stored;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The journals of the agents of a colony, in their stored form; outlives its nodes. Thread-safe.
 */
final class InMemoryStore {

  /** An event as it is stored. */
  record Event(long sequenceNr, int serializer, String manifest, byte[] bytes) {}

  private final KillPoint kill;
  private final Runnable onDeath;
  private final Map<String, List<Event>> journals = new HashMap<>();
  private final Set<String> outstanding = new HashSet<>();
  private boolean dead;

  /**
   * @param onDeath called once, on a thread of the node that dies, which must not be held up
   */
  InMemoryStore(KillPoint kill, Runnable onDeath) {
    this.kill = kill;
    this.onDeath = onDeath;
  }

  /**
   * Appends events to an agent's journal.
   *
   * @param left whether the agent has work left after them; empty if they do not change that
   * @return whether the node lives to hear of it
   */
  synchronized boolean write(String agent, List<Event> events, Optional<Boolean> left) {
    if (dead) {
      return false;
    }
    boolean lives = kill.write(() -> append(agent, events, left));
    if (!lives) {
      dead = true;
      onDeath.run();
    }
    return lives;
  }

  private void append(String agent, List<Event> events, Optional<Boolean> left) {
    journals.computeIfAbsent(agent, fresh -> new ArrayList<>()).addAll(events);
    left.ifPresent(some -> {
      if (some) {
        outstanding.add(agent);
      } else {
        outstanding.remove(agent);
      }
    });
  }

  synchronized List<Event> events(String agent) {
    return List.copyOf(journals.getOrDefault(agent, List.of()));
  }

  /** The journals as callers read them. */
  PastEvents past() {
    return PastEvents.of(agent -> events(agent).stream().map(InMemoryStore::read).toList());
  }

  private static Stored read(Event one) {
    try {
      return new Stored(
          one.sequenceNr(),
          "test",
          StoredTypes.read(one.serializer(), one.manifest(), one.bytes()));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Agents that have work left. */
  synchronized Set<String> outstanding() {
    return Set.copyOf(outstanding);
  }

  /** The node that is there is dead: nothing of it is stored any more. */
  synchronized void dies() {
    dead = true;
  }

  /** The next node begins. */
  synchronized void revived() {
    dead = false;
  }
}
