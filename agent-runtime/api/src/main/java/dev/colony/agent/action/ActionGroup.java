package dev.colony.agent.action;

import java.util.List;

/**
 * The actions of one capability, or of another provider.
 *
 * @param name the capability's key or the provider's name
 * @param summary what they have in common, for a reader who decides
 */
public record ActionGroup(String name, String summary, List<ActionDescription> actions) {

  public ActionGroup {
    actions = List.copyOf(actions);
  }
}
