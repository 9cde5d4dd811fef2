package dev.colony.agent.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.client.AgentView.BlockedView;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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

  /**
   * Why a run rests between two steps, until an event comes or a signal ends the wait.
   *
   * @param idle whether it has nothing to do; otherwise it waits for something
   * @param reason why it waits, one line; empty for an idle one
   * @param blockingAgentIds the agents that it waits for
   * @param until what it waits for, where that is not just those agents
   * @param since when it began to
   */
  public record BlockedView(
      boolean idle,
      String reason,
      List<AgentId> blockingAgentIds,
      Optional<ResumptionCondition> until,
      Instant since) {

    public BlockedView {
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(since, "since");
      blockingAgentIds = List.copyOf(blockingAgentIds);
    }
  }

  /**
   * What an agent keeps from step to step and from run to run.
   *
   * @param streams the entries of each consciousness stream, the oldest first
   * @param capabilities what the capabilities keep, by their keys
   * @param disabled the capabilities that the policy has put away
   * @param entries the policy's own of the agent, beyond any run, by their names; callers do not
   *     change them
   */
  public record MemoryView(
      Map<String, List<StreamEntry>> streams,
      Map<String, JsonNode> capabilities,
      Set<String> disabled,
      ObjectNode entries) {

    public MemoryView {
      Objects.requireNonNull(entries, "entries");
      streams = Map.copyOf(streams);
      capabilities = Map.copyOf(capabilities);
      disabled = Set.copyOf(disabled);
    }
  }

  /**
   * How far the run that an agent executes has come. Callers do not change {@code entries}.
   *
   * @param actions of the completed steps, the newest of them in a run of very many
   * @param entries the policy's own, by their names
   * @param approvals what persons have answered to what the run asked for, by the requests' names
   * @param budgetGrants how many times more it may spend its budget
   * @param events for the current step
   * @param performed the actions of the current step that have ended, where it has several
   * @param intended the actions with an external effect that may have started within the current
   *     step and are not known to have ended
   * @param result the run's end, while it waits to be published
   */
  public record OpenRunView(
      List<ActionView> actions,
      ObjectNode entries,
      Map<String, Approval> approvals,
      int budgetGrants,
      List<EventBatch> events,
      List<ActionView> performed,
      List<Intent> intended,
      Optional<AgentRun> result) {

    /**
     * An action that may have started.
     *
     * @param actionId names it within its run
     * @param key which action of which capability
     * @param retryable whether it may be executed again under the same idempotency key
     */
    public record Intent(String actionId, String key, JsonNode parameters, boolean retryable) {}

    public OpenRunView {
      Objects.requireNonNull(entries, "entries");
      actions = List.copyOf(actions);
      approvals = Map.copyOf(approvals);
      events = List.copyOf(events);
      performed = List.copyOf(performed);
      intended = List.copyOf(intended);
    }
  }

  /**
   * Something that an agent asks a person for, and that it waits for.
   *
   * @param request the name to answer to, with {@link dev.colony.agent.client.AgentHandle#approve}
   *     or {@link dev.colony.agent.client.AgentHandle#deny}
   * @param reason what it is about, one line: of an action its key and its parameters
   * @param runId of the run that asks; empty where it is the suspension of the agent that does
   * @param since from when on it waits, by the clock of the node that journaled it
   */
  public record PendingApproval(
      AgentId agentId, String request, String reason, Optional<RunId> runId, Instant since) {

    public PendingApproval {
      Objects.requireNonNull(agentId, "agentId");
      Objects.requireNonNull(request, "request");
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(since, "since");
    }
  }

  /**
   * That an agent is suspended, and until when.
   *
   * @param number counts the agent's suspensions from 1
   * @param reason for people, one line; may be empty
   * @param until what ends it by itself; empty if only a signal does
   * @param since when, by the clock of the node that journaled it
   */
  public record SuspensionView(
      long number,
      SuspensionCause cause,
      String reason,
      Optional<ResumptionCondition> until,
      Instant since) {

    public SuspensionView {
      Objects.requireNonNull(cause, "cause");
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(since, "since");
    }

    /** What callers see of it. */
    public static SuspensionView of(Suspension suspension) {
      return new SuspensionView(
          suspension.number(),
          suspension.cause(),
          suspension.reason(),
          suspension.until(),
          suspension.at());
    }
  }

  /**
   * A scope whose writes wake an agent.
   *
   * @param keys the patterns of those writes' keys
   * @param taken up to here, matching writes are in runs that were accepted
   * @param unread whether matching writes are known behind that
   */
  public record WatchView(Scope scope, Set<String> keys, Position taken, boolean unread) {

    public WatchView {
      Objects.requireNonNull(scope, "scope");
      Objects.requireNonNull(taken, "taken");
      keys = Set.copyOf(keys);
    }
  }

  /**
   * A run that an agent has accepted and whose result is not published.
   *
   * @param namespace the part of the agent's scope where request, events and result stand
   * @param requestedBy who asked for it
   * @param trace names the whole of what one request set off, over all agents
   * @param traceId its trace's, as OpenTelemetry's collectors know it
   * @param sessionId of the session that it is in; empty outside any
   * @param acceptedAt from when its time counts, by the clock of the node that journaled it
   * @param cancelled why a caller wants it to end; present once one does
   * @param stats what it has taken so far; empty for one that waits behind another
   * @param blocked why its next step waits; empty where it does not
   */
  public record RunView(
      RunId runId,
      String namespace,
      JsonNode input,
      String requestedBy,
      String trace,
      Optional<String> traceId,
      Optional<SessionId> sessionId,
      Instant acceptedAt,
      Optional<String> cancelled,
      Optional<RunStats> stats,
      Optional<BlockedView> blocked) {

    public RunView {
      Objects.requireNonNull(runId, "runId");
      Objects.requireNonNull(namespace, "namespace");
      Objects.requireNonNull(input, "input");
      Objects.requireNonNull(acceptedAt, "acceptedAt");
    }
  }
}
