package dev.colony.agent.inspect;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.journal.JournalReader;
import dev.colony.agent.journal.JournalReader.Stored;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.AgentSnapshot;
import dev.colony.agent.lifecycle.Lifecycle;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Says how agents stand and what they did last, from their journals alone: whether they run, rest
 * or are suspended, and wherever that is, they notice nothing of it. What it says was so when it
 * was read. Thread-safe; stages fail as the journal does.
 */
public final class AgentInspector {

  /** An agent that takes more snapshots than this while it is read is read while it is busy. */
  private static final int ATTEMPTS = 5;

  private static final int RECORDS_PER_STEP = 8;

  private final JournalReader journal;
  private final Lifecycle lifecycle;

  /**
   * @param lifecycle applies the journal's events, with the limits of the nodes
   */
  public AgentInspector(JournalReader journal, Lifecycle lifecycle) {
    this.journal = journal;
    this.lifecycle = lifecycle;
  }

  /** The agent, or empty if it has journaled nothing. Cost: its snapshot and the events since. */
  public CompletionStage<Optional<InspectedAgent>> look(AgentId agent) {
    return look(agent, ATTEMPTS);
  }

  private CompletionStage<Optional<InspectedAgent>> look(AgentId agent, int attempts) {
    String id = agent.persistenceId();
    return journal
        .snapshot(id)
        .thenCompose(snapshot ->
            journal.last(id).thenCompose(last -> read(agent, snapshot, last, attempts)));
  }

  private CompletionStage<Optional<InspectedAgent>> read(
      AgentId agent, Optional<Stored> snapshot, long last, int attempts) {
    if (last == 0) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    long from = snapshot.map(Stored::sequenceNr).orElse(0L);
    return journal
        .events(agent.persistenceId(), from + 1, last)
        .thenCompose(events -> {
          // Deleted behind a newer snapshot, since that one was read.
          if (last > from && (events.isEmpty() || events.getFirst().sequenceNr() != from + 1)) {
            return attempts > 1
                ? look(agent, attempts - 1)
                : CompletableFuture.failedStage(
                    new AgentException(
                        "agent " + agent + " goes on faster than it can be read", null, true));
          }
          AgentSnapshot state =
              snapshot.map(one -> (AgentSnapshot) one.content()).orElse(AgentSnapshot.UNBORN);
          for (Stored event : events) {
            state = lifecycle.apply(state, (AgentEvent) event.content());
          }
          return CompletableFuture.completedStage(
              Optional.of(new InspectedAgent(agent, state, last)));
        });
  }

  /**
   * The agent's last steps, the oldest first; fewer only if the journal holds no more.
   *
   * @param count at least 1
   */
  public CompletionStage<List<InspectedStep>> steps(InspectedAgent agent, int count) {
    return steps(agent, count, (long) count * RECORDS_PER_STEP);
  }

  /** Steps differ in how many records they take, so the stretch that is read grows. */
  private CompletionStage<List<InspectedStep>> steps(
      InspectedAgent agent, int count, long records) {
    long from = Math.max(1, agent.events() - records + 1);
    return journal
        .events(agent.id().persistenceId(), from, agent.events())
        .thenCompose(events -> {
          StepReading reading = new StepReading();
          events.forEach(event -> reading.take((AgentEvent) event.content()));
          // Of the first step, the records before this stretch are missing, if there were any.
          boolean cut = !events.isEmpty() && events.getFirst().sequenceNr() > 1;
          int whole = Math.max(0, reading.count() - (cut ? 1 : 0));
          return whole >= count || from == 1
              ? CompletableFuture.completedStage(reading.last(Math.min(count, whole), open(agent)))
              : steps(agent, count, records * 4);
        });
  }

  private static Optional<RunId> open(InspectedAgent agent) {
    return agent.snapshot().active().isPresent()
        ? Optional.of(agent.snapshot().queue().getFirst().request().runId())
        : Optional.empty();
  }
}
