package dev.colony.examples.debate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.AgentException;

/** What a model answered. */
final class Answers {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private Answers() {}

  static JsonNode object(String reply) {
    try {
      return JSON.readTree(reply);
    } catch (JsonProcessingException bad) {
      throw new AgentException("the model's answer is no JSON", bad, true);
    }
  }
}
