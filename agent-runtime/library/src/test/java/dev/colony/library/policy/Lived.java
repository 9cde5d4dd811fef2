package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.ConsciousnessStream.StreamEntries;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.core.lifecycle.SharedActionHistory;
import dev.colony.core.registry.AgentTypes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An agent's experience: what a policy feeds to the agent's streams, an iteration each. */
final class Lived {

  private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");

  private final List<ConsciousnessStream> streams;
  private final List<StepDelta> deltas = new ArrayList<>();
  private DurableMemory memory = DurableMemory.EMPTY;

  Lived(StreamBlueprint... blueprints) {
    streams = Arrays.stream(blueprints).map(one -> AgentTypes.installed().create(one)).toList();
  }

  Lived event(String key, Object context) {
    return lives(event(key, json(context)));
  }

  Lived action(String key, Object output) {
    return lives(
        StreamEntries.action(
            AT,
            new ActionCall(
                Action.of("a" + deltas.size(), key, null),
                ActionResult.succeeded("a" + deltas.size(), json(output)))));
  }

  Lived failedAction(String key, String error) {
    return lives(
        StreamEntries.action(
            AT,
            new ActionCall(
                Action.of("a" + deltas.size(), key, null),
                ActionResult.failed("a" + deltas.size(), error))));
  }

  /** One iteration that offers entries to all streams. */
  Lived lives(StreamEntry... entries) {
    ActionPolicyExecutionState state = iteration();
    for (StreamEntry entry : entries) {
      streams.forEach(stream -> state.consider(stream, entry));
    }
    deltas.add(state.delta());
    memory = memory.after(state.delta());
    return this;
  }

  ActionPolicyExecutionState iteration() {
    AgentId agent = new AgentId("acme", "lab", "one");
    RunRequest request =
        new RunRequest(
            ExecutionContext.of(agent, new RunId("r1")), "chat", json(Map.of()), "test", AT);
    return new ActionPolicyExecutionState(
        new ActionPolicyExecutionState.Given(
            request,
            deltas.size(),
            RunStats.NONE,
            SharedActionHistory.none(),
            json(Map.of()),
            List.of(),
            Optional.empty(),
            memory,
            Map.of()));
  }

  List<StreamEntry> entries(String stream) {
    return memory.streams().getOrDefault(stream, List.of());
  }

  /** The sections of the prompt, in the order of the streams. */
  List<String> sections() {
    return streams.stream().map(stream -> stream.render(entries(stream.name()))).toList();
  }

  DurableMemory memory() {
    return memory;
  }

  List<StepDelta> deltas() {
    return deltas;
  }

  static StreamEntry event(String key, JsonNode context) {
    return StreamEntries.event(AT, Map.of(key, context));
  }

  static StreamEntry entry(String kind, Object content) {
    return new StreamEntry(kind, AT, json(content));
  }

  static JsonNode json(Object value) {
    return ValueMapper.write("test", value);
  }

  static JsonNode text(String value) {
    return JsonNodeFactory.instance.textNode(value);
  }
}
