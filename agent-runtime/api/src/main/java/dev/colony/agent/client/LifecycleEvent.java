package dev.colony.agent.client;

import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunId;
import dev.colony.agent.SessionId;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.client.AgentView.SuspensionView;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import java.time.Instant;
import java.util.Optional;

/** What happened to an agent beside its steps. */
public sealed interface LifecycleEvent extends HistoryEntry {

  @Override
  default Optional<RunId> run() {
    return switch (this) {
      case RunAccepted accepted -> Optional.of(accepted.runId());
      case RunCompleted completed -> Optional.of(completed.result().runId());
      case CancelRequested cancelled -> Optional.of(cancelled.runId());
      case Rewound rewound -> Optional.of(rewound.runId());
      default -> Optional.empty();
    };
  }

  @JsonTypeName("agent-spawned")
  record Spawned(long sequenceNr, Instant at, AgentBlueprint blueprint) implements LifecycleEvent {}

  /**
   * A node has taken the agent over.
   *
   * @param incarnation counts the claims from 1
   * @param recoveries claims in a row, this one included, between which the agent has not got on
   */
  @JsonTypeName("agent-claimed")
  record Claimed(long sequenceNr, Instant at, long incarnation, String node, int recoveries)
      implements LifecycleEvent {}

  /**
   * The agent begins with another's past. A large past comes with several of these.
   *
   * @param originSequenceNr the last event of the origin that is inherited
   */
  @JsonTypeName("agent-forked")
  record Forked(long sequenceNr, Instant at, AgentId origin, long originSequenceNr)
      implements LifecycleEvent {}

  /**
   * A run will be executed.
   *
   * @param requestedAt when it was asked for, by the caller's clock
   * @param traceId its trace's, as OpenTelemetry's collectors know it
   */
  @JsonTypeName("run-accepted")
  record RunAccepted(
      long sequenceNr,
      Instant at,
      RunId runId,
      String namespace,
      JsonNode input,
      String requestedBy,
      Instant requestedAt,
      String trace,
      Optional<String> traceId,
      Optional<SessionId> sessionId)
      implements LifecycleEvent {}

  @JsonTypeName("run-completed")
  record RunCompleted(long sequenceNr, Instant at, AgentRun result) implements LifecycleEvent {}

  /** A run will end as cancelled, unless it ends by itself before. */
  @JsonTypeName("cancel-requested")
  record CancelRequested(long sequenceNr, Instant at, RunId runId, String reason)
      implements LifecycleEvent {}

  /**
   * A run that has ended is executed again, from one of its steps on.
   *
   * @param attempt which one of the run begins, from 2
   * @param reason one line for people; may be empty
   */
  @JsonTypeName("run-rewound")
  record Rewound(long sequenceNr, Instant at, RunId runId, int step, int attempt, String reason)
      implements LifecycleEvent {}

  /** The run that was to be executed again is not, for this reason. */
  @JsonTypeName("rewind-refused")
  record RewindRefused(long sequenceNr, Instant at, String reason) implements LifecycleEvent {}

  /**
   * The agent was moved from one state to another other than by its work.
   *
   * @param command what moved it, such as {@code SUSPEND} or {@code PAGES_EVICTED}
   * @param reason one line for people; may be empty
   * @param suspension that begins with it
   */
  @JsonTypeName("state-changed")
  record StateChanged(
      long sequenceNr,
      Instant at,
      String command,
      AgentState from,
      AgentState to,
      String reason,
      Optional<SuspensionView> suspension)
      implements LifecycleEvent {}

  /** A person has answered something that the run or the suspension waits for. */
  @JsonTypeName("approval-given")
  record ApprovalGiven(long sequenceNr, Instant at, Approval approval) implements LifecycleEvent {}

  /**
   * The agent lives in another placement unit from here on.
   *
   * @param reason one line for people; may be empty
   */
  @JsonTypeName("agent-rehomed")
  record Rehomed(long sequenceNr, Instant at, int unit, String reason) implements LifecycleEvent {}

  /**
   * The agent lives by another blueprint from its next step on.
   *
   * @param revision of the blueprint, counted from 1
   * @param reason one line for people; may be empty
   */
  @JsonTypeName("blueprint-revised")
  record BlueprintRevised(
      long sequenceNr, Instant at, AgentBlueprint blueprint, int revision, String reason)
      implements LifecycleEvent {}
}
