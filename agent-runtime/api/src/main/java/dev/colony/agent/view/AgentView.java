package dev.colony.agent.view;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.suspension.ResumptionCondition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An agent as its journal tells of it, right after one of its events.
 *
 * @param sequenceNr of that event: how many were journaled up to then
 * @param reason why it is suspended, unloaded or at its end, one line
 * @param suspension of an agent that is SUSPENDED or UNLOADED, and of no other
 * @param suspensions how many there have been, that one included
 * @param lost what the store has lost of the events behind these; the agent does nothing until an
 *     operator has decided about it
 * @param incarnation counts the nodes' claims on it from 1; 0 before the first
 * @param node which made the last claim; empty before the first
 * @param recoveries claims in a row, the last included, between which it has not got on
 * @param runs the accepted ones whose results are not published; the first is executed
 * @param openRun how far that first one has come
 * @param published the runs whose results were published last, the newest at the end
 * @param memory what it keeps from run to run
 * @param watches the scopes whose writes wake it
 * @param forkedFrom the agent whose past it begins with, until its first run does
 */
public record AgentView(
    AgentId agentId,
    long sequenceNr,
    AgentState state,
    Optional<String> reason,
    Optional<SuspensionView> suspension,
    long suspensions,
    Optional<LostEvents> lost,
    AgentBlueprint blueprint,
    long incarnation,
    String node,
    int recoveries,
    List<RunView> runs,
    Optional<OpenRunView> openRun,
    List<RunId> published,
    MemoryView memory,
    List<WatchView> watches,
    Optional<AgentId> forkedFrom) {

  /**
   * What the store has lost of an agent's events.
   *
   * @param stored the number of the last event that is there
   * @param acknowledged that of the last that was acknowledged, as far as is known
   */
  public record LostEvents(long stored, long acknowledged) {}

  public AgentView {
    Objects.requireNonNull(agentId, "agentId");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(blueprint, "blueprint");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(memory, "memory");
    runs = List.copyOf(runs);
    published = List.copyOf(published);
    watches = List.copyOf(watches);
  }

  /** The run that its next step would belong to. */
  public Optional<RunId> openRunId() {
    return openRun.map(open -> runs.getFirst().runId());
  }

  /** What it asks persons for, in the order of the requests' names; each request once. */
  public List<PendingApproval> pending() {
    Map<String, PendingApproval> asked = new TreeMap<>();
    for (RunView run : runs) {
      run.blocked()
          .ifPresent(blocked ->
              asked(
                  asked,
                  blocked.until(),
                  blocked.reason(),
                  Optional.of(run.runId()),
                  blocked.since()));
    }
    suspension.ifPresent(
        one -> asked(asked, one.until(), one.reason(), Optional.empty(), one.since()));
    return List.copyOf(asked.values());
  }

  private void asked(
      Map<String, PendingApproval> asked,
      Optional<ResumptionCondition> until,
      String reason,
      Optional<RunId> run,
      Instant since) {
    until.stream()
        .flatMap(ResumptionCondition::leaves)
        .filter(ResumptionCondition.Approved.class::isInstance)
        .map(leaf -> ((ResumptionCondition.Approved) leaf).request())
        .forEach(request ->
            asked.putIfAbsent(request, new PendingApproval(agentId, request, reason, run, since)));
  }
}
