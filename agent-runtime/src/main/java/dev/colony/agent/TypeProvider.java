package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Registers policy and capability types under the names that blueprints carry. Found through {@link
 * java.util.ServiceLoader}; the registry is closed once it is loaded.
 */
public interface TypeProvider {

  void register(Types types);

  /** Where types are registered; a name registered twice is refused. */
  interface Types {

    void policy(String type, PolicyFactory factory);

    void capability(String type, CapabilityFactory factory);
  }

  /** Makes a policy from a blueprint's arguments; bad ones throw IllegalArgumentException. */
  @FunctionalInterface
  interface PolicyFactory {
    ActionPolicy create(JsonNode args);
  }

  /** Makes a capability from a blueprint's arguments; bad ones throw IllegalArgumentException. */
  @FunctionalInterface
  interface CapabilityFactory {
    AgentCapability create(JsonNode args, CapabilityContext context);
  }
}
