package dev.colony.core.capability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.Registered;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The actions of one capability. */
final class CapabilityActions implements ActionProvider {

  private final AgentCapability capability;
  private final Map<String, ActionMethod> methods = new LinkedHashMap<>();
  private final List<ActionDescription> actions;

  CapabilityActions(AgentCapability capability, List<ActionMethod> methods, Duration usualTimeout) {
    this.capability = capability;
    String name = capability.capabilityKey();
    methods.forEach(method -> this.methods.put(method.key(name), method));
    this.actions = methods.stream().map(method -> method.describe(name, usualTimeout)).toList();
  }

  @Override
  public String name() {
    return capability.capabilityKey();
  }

  @Override
  public String summary() {
    return capability.summary().orElseGet(this::summaryOfType);
  }

  private String summaryOfType() {
    for (Class<?> at = capability.getClass(); at != null; at = at.getSuperclass()) {
      Registered registered = at.getAnnotation(Registered.class);
      if (registered != null) {
        return registered.summary();
      }
    }
    return "";
  }

  @Override
  public List<ActionDescription> actions() {
    return actions;
  }

  @Override
  public int attempts(String key) {
    return methods.get(key).attempts();
  }

  @Override
  public List<String> violations(String key, JsonNode params) {
    return methods.get(key).violations(params);
  }

  @Override
  public Object execute(String key, ObjectNode params, ActionContext context) throws Exception {
    return methods.get(key).call(capability, params, context);
  }
}
