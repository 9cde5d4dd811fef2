package dev.colony.client.history;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.client.history.AgentHistory.HistoryReader;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.Rewinding.PastReading;
import dev.colony.journal.Journal.PastEvents;
import dev.colony.journal.JournalReader.Reach;
import dev.colony.journal.JournalReader.Stored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Says how agents stand and how they stood, from their journals alone: whether they run, rest or
 * are suspended, and wherever that is, they notice nothing of it. What it says was so when it was
 * read. Thread-safe; stages fail as the journal does.
 */
public final class AgentInspector implements HistoryReader {

  /** How often an agent is read that lets go of its past in the meantime. */
  private static final int ATTEMPTS = 5;

  private final PastEvents journal;
  private final Lifecycle lifecycle;

  /**
   * @param lifecycle applies the journal's events, with the limits of the nodes
   */
  public AgentInspector(PastEvents journal, Lifecycle lifecycle) {
    this.journal = journal;
    this.lifecycle = lifecycle;
  }

  /** The agent, or empty if it has journaled nothing. Cost: its snapshot and the events since. */
  public CompletionStage<Optional<AgentView>> look(AgentId agent) {
    return look(agent, ATTEMPTS);
  }

  private CompletionStage<Optional<AgentView>> look(AgentId agent, int attempts) {
    return journal
        .reach(agent.persistenceId())
        .thenCompose(reach -> replay(agent, reach.last(), reach))
        .thenCompose(replayed ->
            switch (replayed.view()) {
              case StateAt.Known known ->
                  CompletableFuture.completedStage(Optional.of(known.agent()));
              case StateAt.Unknown unknown -> CompletableFuture.completedStage(Optional.empty());
              // Let go of behind a newer snapshot, since its number was read.
              case StateAt.Forgotten gone when attempts > 1 -> look(agent, attempts - 1);
              case StateAt.Forgotten gone ->
                  CompletableFuture.failedStage(
                      new AgentException(
                          "agent " + agent + " goes on faster than it can be read", null, true));
              case StateAt.NotYet later -> throw new IllegalStateException(later.words());
            });
  }

  /** As {@link #replay}, for callers. */
  public CompletionStage<StateAt> at(AgentId agent, long sequenceNr) {
    return replay(agent, sequenceNr).thenApply(Replayed::view);
  }

  /**
   * The agent's state right after an event. Cost: the newest snapshot before it and the events
   * since; where there is no such snapshot, all events from the first.
   *
   * @param sequenceNr of the event, from 1
   */
  @Override
  public CompletionStage<Replayed> replay(AgentId agent, long sequenceNr) {
    if (sequenceNr < 1) {
      throw new IllegalArgumentException("events are numbered from 1, not: " + sequenceNr);
    }
    return journal
        .reach(agent.persistenceId())
        .thenCompose(reach -> replay(agent, sequenceNr, reach));
  }

  @Override
  public CompletionStage<List<Ended>> ended(AgentId agent, long behind) {
    return journal
        .reach(agent.persistenceId())
        .thenCompose(reach -> journal.events(agent.persistenceId(), reach.first(), reach.last()))
        .thenApply(events -> ended(events, behind));
  }

  @Override
  public CompletionStage<PastReading> rewinding(AgentId agent, RunId run, int step) {
    String id = agent.persistenceId();
    PastReading reading = new PastReading(agent, run, step);
    return journal
        .reach(id)
        .thenCompose(reach ->
            journal
                .snapshot(id, Math.max(reach.first() - 1, 0))
                .thenCompose(oldest -> {
                  AtomicReference<AgentSnapshot> state =
                      new AtomicReference<>(
                          oldest
                              .map(one -> (AgentSnapshot) one.content())
                              .orElse(AgentSnapshot.UNBORN));
                  long from = oldest.map(Stored::sequenceNr).orElse(0L) + 1;
                  return journal.events(
                      id, from, reach.last(), event -> take(reading, state, event));
                }))
        .thenApply(done -> reading);
  }

  private void take(PastReading reading, AtomicReference<AgentSnapshot> state, Stored stored) {
    AgentSnapshot before = state.get();
    AgentEvent event = (AgentEvent) stored.content();
    state.set(lifecycle.apply(before, event));
    reading.take(before, event, state.get(), stored.sequenceNr());
  }

  private static List<Ended> ended(List<Stored> events, long behind) {
    Map<RunId, RunRequest> requests = new HashMap<>();
    Map<RunId, Ended> published = new HashMap<>();
    List<Ended> ended = new ArrayList<>();
    for (Stored event : events) {
      if (event.content() instanceof AgentEvent.RunAccepted accepted) {
        requests.put(accepted.request().runId(), accepted.request());
      } else if (event.content() instanceof AgentEvent.RunCompleted completed
          && requests.containsKey(completed.run().runId())) {
        RunId run = completed.run().runId();
        published.put(run, new Ended(requests.get(run), completed.run()));
      } else if (event.content() instanceof AgentEvent.ResultPublished done
          && event.sequenceNr() > behind
          && published.containsKey(done.runId())) {
        ended.add(published.get(done.runId()));
      }
    }
    return ended;
  }

  private CompletionStage<Replayed> replay(AgentId agent, long sequenceNr, Reach reach) {
    if (reach.last() == 0) {
      return CompletableFuture.completedStage(missing(new StateAt.Unknown(agent)));
    }
    if (sequenceNr > reach.last()) {
      return CompletableFuture.completedStage(
          missing(new StateAt.NotYet(agent, sequenceNr, reach.last())));
    }
    String id = agent.persistenceId();
    return journal
        .snapshot(id, sequenceNr)
        .thenCompose(snapshot -> {
          long from = snapshot.map(Stored::sequenceNr).orElse(0L);
          AtomicReference<AgentSnapshot> state =
              new AtomicReference<>(
                  snapshot.map(one -> (AgentSnapshot) one.content()).orElse(AgentSnapshot.UNBORN));
          return journal
              .events(
                  id,
                  from + 1,
                  sequenceNr,
                  event -> state.set(lifecycle.apply(state.get(), (AgentEvent) event.content())))
              .thenCompose(done ->
                  // Nothing of it may have been let go of while it was read.
                  journal
                      .reach(id)
                      .thenApply(now ->
                          now.first() > from + 1
                              ? missing(new StateAt.Forgotten(agent, sequenceNr, now.first() - 1))
                              : known(agent, sequenceNr, reach, state.get())));
        });
  }

  private static Replayed known(AgentId agent, long sequenceNr, Reach reach, AgentSnapshot state) {
    return new Replayed.State(
        agent, state, sequenceNr, reach.lost().filter(end -> sequenceNr == reach.last()));
  }

  private static Replayed missing(StateAt.Missing why) {
    return new Replayed.Missing(why);
  }
}
