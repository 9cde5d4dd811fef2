package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.vcm.PageGroupId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * All that is needed to build an agent on any node.
 *
 * @param policy decides what the agent does
 * @param capabilities what the agent can do; their actions' keys must differ
 * @param pages the group of pages that the agent is bound to and placed with; empty for an unbound
 *     agent
 */
public record AgentBlueprint(
    Blueprint policy, List<Blueprint> capabilities, Optional<PageGroupId> pages) {

  public AgentBlueprint {
    Objects.requireNonNull(policy, "policy");
    Objects.requireNonNull(pages, "pages");
    capabilities = List.copyOf(capabilities);
  }

  /** An unbound agent. */
  public static AgentBlueprint of(Blueprint policy, Blueprint... capabilities) {
    return new AgentBlueprint(policy, List.of(capabilities), Optional.empty());
  }

  /** The same agent, bound to a group of pages. */
  public AgentBlueprint pages(PageGroupId group) {
    return new AgentBlueprint(policy, capabilities, Optional.of(group));
  }

  /** The blueprint as it is stored; {@link #fromJson} reads it back. */
  @JsonValue
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.set("policy", policy.toJson());
    var list = json.putArray("capabilities");
    capabilities.forEach(capability -> list.add(capability.toJson()));
    pages.ifPresent(group -> json.put("pages", group.value()));
    return json;
  }

  /**
   * Reads {@link #toJson} back.
   *
   * @throws IllegalArgumentException if it is not a blueprint
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static AgentBlueprint fromJson(JsonNode json) {
    List<Blueprint> capabilities = new ArrayList<>();
    json.path("capabilities").forEach(one -> capabilities.add(Blueprint.fromJson(one)));
    return new AgentBlueprint(
        Blueprint.fromJson(json.path("policy")),
        capabilities,
        json.hasNonNull("pages")
            ? Optional.of(new PageGroupId(json.path("pages").asText()))
            : Optional.empty());
  }
}
