package dev.colony.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentRun;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyInput;
import dev.colony.agent.author.JsonSchemas;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.client.AgentHandle;

/** Asks an agent for a value of a Java type. */
public final class TypedAnswer {

  private TypedAnswer() {}

  /** See {@link AgentHandle#ask(String, Class)}. */
  public static <T> T of(AgentHandle agent, String text, Class<T> type) {
    ObjectNode input = JsonNodeFactory.instance.objectNode().put("goals", text);
    input.set(ActionPolicyInput.RESULT_SCHEMA, JsonSchemas.input(type));
    AgentRun run = agent.run(input);
    if (run.error().isPresent()) {
      throw AgentException.refused(run.error().get());
    }
    return read(run.output(), type);
  }

  @SuppressWarnings("unchecked")
  private static <T> T read(JsonNode output, Class<T> type) {
    // The class of a primitive type casts no value of it.
    return (T) JsonValues.read(output, type);
  }
}
