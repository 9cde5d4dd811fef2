package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import dev.colony.core.lifecycle.Suspending.ReasonText;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The last change of an agent's blueprint. The blueprint is in force from the next step on: one
 * that is under way goes on with what it has begun with.
 *
 * @param number of the change, counted from 1
 * @param signal where it was asked for, in the agent's own scope; empty for what the runtime wants
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record Revision(int number, Optional<Position> signal) {

  public Revision {
    signal = signal == null ? Optional.empty() : signal;
  }

  /** A change that was overtaken by a later one makes no difference. */
  static Verdict decide(
      AgentSnapshot state, Intent.Revise revise, Optional<Position> signal, Instant at) {
    if (state.state().terminal()) {
      return new Verdict.Refused("the agent is " + state.state() + " for good");
    }
    Optional<Position> last = state.revision().flatMap(Revision::signal);
    if (signal.isPresent() && last.filter(one -> signal.get().compareTo(one) <= 0).isPresent()) {
      return new Verdict.Repeated();
    }
    AgentBlueprint current = state.blueprint().orElseThrow();
    AgentBlueprint next;
    try {
      next = revise.change().of(current);
    } catch (IllegalArgumentException unfit) {
      return new Verdict.Refused(ReasonText.line(unfit.getMessage()));
    }
    if (next.equals(current)) {
      return new Verdict.Repeated();
    }
    int number = state.revision().map(Revision::number).orElse(0) + 1;
    return Verdict.journal(
        new AgentEvent.BlueprintRevised(
            next, new Revision(number, signal), ReasonText.line(revise.reason()), at));
  }

  static AgentSnapshot apply(AgentSnapshot state, AgentEvent.BlueprintRevised revised) {
    return state
        .revised(revised.blueprint(), revised.revision())
        .memory(kept(state.memory(), revised.blueprint()));
  }

  /**
   * What an agent keeps of a blueprint that was changed: what its capabilities and streams that are
   * gone have left is forgotten.
   */
  static DurableMemory kept(DurableMemory memory, AgentBlueprint blueprint) {
    Set<String> streams =
        blueprint.streams().stream().map(StreamBlueprint::name).collect(Collectors.toSet());
    Set<String> keys =
        blueprint.capabilities().stream()
            .map(CapabilityBlueprint::capabilityKey)
            .collect(Collectors.toSet());
    Map<String, List<StreamEntry>> shown = new HashMap<>(memory.streams());
    shown.keySet().retainAll(streams);
    Map<String, JsonNode> snapshots = new HashMap<>(memory.capabilities());
    snapshots.keySet().retainAll(keys);
    Set<String> disabled = new HashSet<>(memory.disabled());
    disabled.retainAll(keys);
    return new DurableMemory(shown, snapshots, disabled, memory.policy());
  }
}
