package dev.colony.server.agents;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.view.AgentView;
import dev.colony.agent.view.PendingApproval;
import dev.colony.agent.view.SuspensionView;
import dev.colony.client.directory.ListedAgent;
import dev.colony.client.session.FailedWokenRun;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * An agent as directory and journal tell of it.
 *
 * @param journal empty for one that has not been started yet
 * @param failure the last run that events have started and that has failed
 */
public record ShownAgent(
    ListedAgent listed, Optional<AgentView> journal, Optional<FailedWokenRun> failure) {

  /** The cause of one that is held because the store has lost events of its journal. */
  static final String LOST = "STORE";

  public AgentId id() {
    return listed.id();
  }

  /** By the journal, which has the say. One whose events the store has lost is suspended. */
  public AgentState state() {
    return lost().isPresent()
        ? AgentState.SUSPENDED
        : journal.map(known -> known.state()).orElse(listed.status().state());
  }

  /** That it lives by; one that has not begun to live, that it is to begin with. */
  public AgentBlueprint blueprint() {
    return journal.map(AgentView::blueprint).orElse(listed.entry().blueprint());
  }

  /** Why it is in that state; empty where there is nothing to say. */
  public Optional<String> reason() {
    if (lost().isPresent()) {
      return lost()
          .map(log ->
              "the store has lost its events %d to %d: see colony lost-events"
                  .formatted(log.stored() + 1, log.acknowledged()));
    }
    return journal.isPresent() ? journal.get().reason() : listed.status().reason();
  }

  /** What the store has lost of its events, where an operator has still to decide about it. */
  public Optional<AgentView.LostEvents> lost() {
    return journal.flatMap(AgentView::lost);
  }

  /** That it is suspended by what its journal says, and why; empty if it is not. */
  public Optional<SuspensionView> suspension() {
    return journal.flatMap(AgentView::suspension);
  }

  /** What it is suspended for; empty if it is not. */
  public Optional<String> cause() {
    return lost().isPresent() ? Optional.of(LOST) : suspension().map(one -> one.cause().name());
  }

  /** What it asks a person for, by the names to answer to. */
  public SortedSet<String> asks() {
    return pending().stream()
        .map(PendingApproval::request)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The same with what each is about. */
  public List<PendingApproval> pending() {
    return journal.map(AgentView::pending).orElse(List.of());
  }

  /** Runs that are accepted and have no result yet, the one under way included. */
  public int openRuns() {
    return journal.map(known -> known.runs().size()).orElse(0);
  }
}
