package dev.colony.core.registry;

import dev.colony.agent.AgentException;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.ActionDescription;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.registry.FileProblems.CloseName;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The actions that an agent's capabilities come to: each that is named is there, none is twice. */
final class OfferedActions {

  /** Of no account here: the descriptions are asked for their keys. */
  private static final Duration ANY_TIMEOUT = Duration.ofSeconds(1);

  private final Map<String, String> capabilities = new HashMap<>();

  /**
   * Adds those of one capability; of one whose class does not declare them nothing is known here.
   *
   * @throws AgentException on one line, if it names an action that it does not have, or offers one
   *     that another offers already
   */
  void add(CapabilityBlueprint capability, CapabilityType declared) {
    if (!declared.declaresActions()) {
      return;
    }
    String key = capability.capabilityKey();
    Set<String> all =
        declared.actions(key, ANY_TIMEOUT).stream()
            .map(ActionDescription::key)
            .collect(Collectors.toCollection(TreeSet::new));
    known("includes", capability.includeActions(), all);
    known("excludes", capability.excludeActions(), all);
    known("asks for approval of", capability.approveActions(), all);
    for (String action : all) {
      boolean taken =
          (capability.includeActions().isEmpty() || capability.includeActions().contains(action))
              && !capability.excludeActions().contains(action);
      String other = taken ? capabilities.put(action, key) : null;
      if (other != null) {
        throw AgentException.refused(
            "it offers the action %s as the capability %s does: exclude one of them"
                .formatted(action, other));
      }
    }
  }

  private static void known(String does, Set<String> named, Set<String> all) {
    for (String action : named) {
      if (!all.contains(action)) {
        throw AgentException.refused(
            "it %s the action %s, which it does not have%s"
                .formatted(
                    does,
                    action,
                    FileProblems.separated(CloseName.joined(action, all), "it has " + all)));
      }
    }
  }
}
