package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.Map;
import java.util.Optional;

/** A capability that keeps notes, and the agent that has it. */
@Registered(value = "test.notes", summary = "Keeps notes.")
public final class Notes extends AgentCapability {

  public Notes(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor(key = "notes.add", summary = "Stores a note.", writes = "last_note")
  Map<String, Object> add(
      @Param("what it says") String text,
      @Param(value = "how good it is", defaultValue = "3") @Range(min = 1, max = 5)
          Optional<Integer> stars) {
    return Map.of("text", text, "stars", stars.orElseThrow());
  }

  @ActionExecutor(key = "notes.report", summary = "Gives all notes.", tags = "slow")
  String report() {
    return "note ".repeat(700).strip();
  }

  @EventHandler(pattern = "chat:*", contextKey = "chat")
  JsonNode onChat(EventBatch.Event event) {
    JsonNode said = event.value().orElseThrow();
    agent().emit("heard", said);
    return said;
  }

  @ActionExecutor(key = "notes.burn", summary = "Burns a note.")
  String burn(String text) {
    throw new IllegalStateException(text + " does not burn");
  }

  @ActionExecutor(key = "notes.publish", summary = "Publishes a note.", approval = true)
  String publish(String text) {
    return "published " + text;
  }

  static final TypeProvider TYPES = types -> types.add(Notes.class);

  /** An agent that keeps notes as a model says. */
  static AgentBlueprint clerk(PlannerArgs args) {
    return AgentBlueprint.of(MinimalActionPolicy.class, args)
        .capability(CapabilityBlueprint.of(Blueprint.of("test.notes")));
  }

  static AgentBlueprint clerk() {
    return clerk(PlannerArgs.NONE);
  }

  static TestAgent agent(AgentBlueprint blueprint, FakeModel model) {
    return TestAgent.of(blueprint).types(TYPES).model(model).start();
  }
}
