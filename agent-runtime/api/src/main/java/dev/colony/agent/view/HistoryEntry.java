package dev.colony.agent.view;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.colony.agent.RunId;
import java.time.Instant;
import java.util.Optional;

/** Something of an agent's past: a step that it took, or another event of its life. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(StepView.class),
  @JsonSubTypes.Type(LifecycleEvent.Spawned.class),
  @JsonSubTypes.Type(LifecycleEvent.Claimed.class),
  @JsonSubTypes.Type(LifecycleEvent.Forked.class),
  @JsonSubTypes.Type(LifecycleEvent.RunAccepted.class),
  @JsonSubTypes.Type(LifecycleEvent.RunCompleted.class),
  @JsonSubTypes.Type(LifecycleEvent.CancelRequested.class),
  @JsonSubTypes.Type(LifecycleEvent.StateChanged.class),
  @JsonSubTypes.Type(LifecycleEvent.ApprovalGiven.class),
  @JsonSubTypes.Type(LifecycleEvent.Rehomed.class),
  @JsonSubTypes.Type(LifecycleEvent.BlueprintRevised.class)
})
public sealed interface HistoryEntry permits StepView, LifecycleEvent {

  /** The number of the event that tells of it: the agent's state then can be asked for. */
  long sequenceNr();

  /** By the clock of the node that journaled it. */
  Instant at();

  /** The run that it belongs to, where it belongs to one and the journal tells. */
  Optional<RunId> run();
}
