package dev.colony.agent.entity;

import dev.colony.agent.ActionExecutor;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentCapability;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentTypes;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.CapabilityContext;
import dev.colony.agent.Decision;
import dev.colony.agent.EventPattern;
import dev.colony.agent.Services;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a blueprint comes to on this node.
 *
 * @param actions of all capabilities
 * @param patterns of the writes that the capabilities handle, by scope; empty if they cannot be
 *     told here
 */
record Faculties(
    ActionPolicy policy,
    Map<String, ActionExecutor> actions,
    Optional<Map<Scope, Set<KeyGlob>>> patterns) {

  private static final Logger LOG = LoggerFactory.getLogger(Faculties.class);

  /**
   * Builds them. A blueprint that cannot be built here makes an agent whose every run fails and
   * says why, rather than one that never answers.
   */
  static Faculties build(
      AgentId agent, AgentBlueprint blueprint, AgentTypes types, Services services) {
    try {
      Map<String, ActionExecutor> actions = new HashMap<>();
      CapabilityContext context = new CapabilityContext(agent, blueprint, services);
      Map<Scope, Set<KeyGlob>> patterns = new HashMap<>();
      for (CapabilityBlueprint blueprinted : blueprint.capabilities()) {
        AgentCapability capability = types.capability(blueprinted.what(), context);
        capability
            .actions()
            .forEach((key, executor) -> {
              if (actions.putIfAbsent(key, executor) != null) {
                throw AgentException.refused("two capabilities offer the action " + key);
              }
            });
        for (EventPattern pattern : capability.eventPatterns()) {
          patterns.computeIfAbsent(pattern.scope(), scope -> new HashSet<>()).add(pattern.keys());
        }
      }
      return new Faculties(
          types.policy(blueprint.policy()), Map.copyOf(actions), Optional.of(Map.copyOf(patterns)));
    } catch (RuntimeException unfit) {
      LOG.warn("agent {} cannot be built here: {}", agent, unfit.getMessage());
      String reason = "the agent cannot be built: " + unfit.getMessage();
      return new Faculties(view -> new Decision.Fail(reason), Map.of(), Optional.empty());
    }
  }

  /** The executor of an action; an unknown one refuses, which the policy sees as a failure. */
  ActionExecutor executor(String key) {
    ActionExecutor known = actions.get(key);
    return known != null
        ? known
        : (context, params) -> {
          throw AgentException.refused("the agent has no action " + key);
        };
  }
}
