package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.vcm.PageGroupId;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * All that is needed to build an agent on any node. Immutable; the methods named after a component
 * return a changed copy.
 *
 * @param kind what the agent's life hangs on
 * @param policy decides what the agent does
 * @param capabilities what the agent can do; their keys differ
 * @param streams what of its experience the agent is shown; their names differ
 * @param pages the group of pages that the agent is bound to and placed with; empty for an unbound
 *     agent
 * @param budget of each run
 */
public record AgentBlueprint(
    AgentKind kind,
    Blueprint policy,
    List<CapabilityBlueprint> capabilities,
    List<StreamBlueprint> streams,
    Optional<PageGroupId> pages,
    RunBudget budget,
    AgentResources resources) {

  public AgentBlueprint {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(policy, "policy");
    Objects.requireNonNull(pages, "pages");
    Objects.requireNonNull(budget, "budget");
    Objects.requireNonNull(resources, "resources");
    capabilities = List.copyOf(capabilities);
    streams = List.copyOf(streams);
    differ("capabilities", capabilities, CapabilityBlueprint::capabilityKey);
    differ("streams", streams, StreamBlueprint::name);
    if (kind == AgentKind.VCM_BOUND && pages.isEmpty()) {
      throw new IllegalArgumentException("an agent that is VCM-bound needs a group of pages");
    }
  }

  /** An unbound agent. */
  public static AgentBlueprint of(Blueprint policy, Blueprint... capabilities) {
    return new AgentBlueprint(
        AgentKind.UNBOUND,
        policy,
        Arrays.stream(capabilities).map(CapabilityBlueprint::of).toList(),
        List.of(),
        Optional.empty(),
        RunBudget.OF_NODE,
        AgentResources.DEFAULT);
  }

  public AgentBlueprint kind(AgentKind other) {
    return new AgentBlueprint(other, policy, capabilities, streams, pages, budget, resources);
  }

  /** The same with one more capability. */
  public AgentBlueprint capability(CapabilityBlueprint one) {
    return new AgentBlueprint(
        kind, policy, plus(capabilities, one), streams, pages, budget, resources);
  }

  /** The same with one more stream, the last in the prompt. */
  public AgentBlueprint stream(StreamBlueprint one) {
    return new AgentBlueprint(
        kind, policy, capabilities, plus(streams, one), pages, budget, resources);
  }

  /** The same agent, placed with a group of pages. */
  public AgentBlueprint pages(PageGroupId group) {
    return new AgentBlueprint(
        kind, policy, capabilities, streams, Optional.of(group), budget, resources);
  }

  public AgentBlueprint budget(RunBudget other) {
    return new AgentBlueprint(kind, policy, capabilities, streams, pages, other, resources);
  }

  public AgentBlueprint resources(AgentResources other) {
    return new AgentBlueprint(kind, policy, capabilities, streams, pages, budget, other);
  }

  /** The blueprint as it is stored; {@link #fromJson} reads it back. */
  @JsonValue
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("kind", kind.name());
    json.set("policy", policy.toJson());
    var abilities = json.putArray("capabilities");
    capabilities.forEach(capability -> abilities.add(capability.toJson()));
    var shown = json.putArray("streams");
    streams.forEach(stream -> shown.add(stream.toJson()));
    pages.ifPresent(group -> json.put("pages", group.value()));
    ObjectNode bounds = json.putObject("budget");
    budget.iterations().ifPresent(most -> bounds.put("iterations", most));
    budget.time().ifPresent(most -> bounds.put("time", most.toString()));
    budget.tokens().ifPresent(most -> bounds.put("tokens", most));
    budget.cost().ifPresent(most -> bounds.put("cost", most.toPlainString()));
    ObjectNode needs = json.putObject("resources");
    needs.put("priority", resources.priority());
    needs.put("expectedTokens", resources.expectedTokens());
    needs.put("concurrency", resources.concurrency());
    return json;
  }

  /**
   * Reads {@link #toJson} back; what is absent is as {@link #of} has it.
   *
   * @throws IllegalArgumentException if it is not a blueprint
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static AgentBlueprint fromJson(JsonNode json) {
    List<CapabilityBlueprint> capabilities = new ArrayList<>();
    json.path("capabilities").forEach(one -> capabilities.add(CapabilityBlueprint.fromJson(one)));
    List<StreamBlueprint> streams = new ArrayList<>();
    json.path("streams").forEach(one -> streams.add(StreamBlueprint.fromJson(one)));
    return new AgentBlueprint(
        AgentKind.valueOf(json.path("kind").asText(AgentKind.UNBOUND.name())),
        Blueprint.fromJson(json.path("policy")),
        capabilities,
        streams,
        given(json, "pages").map(group -> new PageGroupId(group.asText())),
        budget(json.path("budget")),
        resources(json.path("resources")));
  }

  private static RunBudget budget(JsonNode json) {
    return new RunBudget(
        given(json, "iterations").map(JsonNode::asInt),
        given(json, "time").map(time -> Duration.parse(time.asText())),
        given(json, "tokens").map(JsonNode::asLong),
        given(json, "cost").map(cost -> new BigDecimal(cost.asText())));
  }

  private static AgentResources resources(JsonNode json) {
    AgentResources usual = AgentResources.DEFAULT;
    return new AgentResources(
        json.path("priority").asInt(usual.priority()),
        json.path("expectedTokens").asLong(usual.expectedTokens()),
        json.path("concurrency").asInt(usual.concurrency()));
  }

  private static Optional<JsonNode> given(JsonNode json, String name) {
    return json.hasNonNull(name) ? Optional.of(json.get(name)) : Optional.empty();
  }

  private static <T> List<T> plus(List<T> list, T one) {
    List<T> longer = new ArrayList<>(list);
    longer.add(one);
    return longer;
  }

  private static <T> void differ(String what, List<T> all, Function<T, String> name) {
    Set<String> names = new HashSet<>();
    for (T one : all) {
      if (!names.add(name.apply(one))) {
        throw new IllegalArgumentException(
            "two " + what + " of an agent are named " + name.apply(one) + ": give one another key");
      }
    }
  }
}
