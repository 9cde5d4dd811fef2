package dev.colony.core.dispatch;

import dev.colony.agent.AgentException;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.author.ActionProvider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** The actions of one agent by their keys. Thread-safe. */
final class ActionTable {

  record Offer(ActionProvider provider, ActionDescription action) {}

  /** One whose actions may change, and what of them is given to the agent. */
  private static final class Changing {

    private final ActionProvider provider;
    private final Optional<CapabilityBlueprint> blueprint;
    private List<ActionDescription> known = List.of();

    Changing(ActionProvider provider, Optional<CapabilityBlueprint> blueprint) {
      this.provider = provider;
      this.blueprint = blueprint;
    }
  }

  private final Map<String, Offer> offers = new LinkedHashMap<>();
  private final List<Changing> changing = new CopyOnWriteArrayList<>();
  private final List<ActionProvider> providers = new ArrayList<>();
  private Optional<Set<String>> only = Optional.empty();

  /**
   * Adds a capability's actions, those left out that its blueprint does not give to the agent.
   *
   * @throws AgentException if another offers an action of the same key
   */
  void add(ActionProvider provider, Optional<CapabilityBlueprint> blueprint) {
    if (provider.changing()) {
      add(provider, List.of());
      changing.add(new Changing(provider, blueprint));
    } else {
      add(provider, given(provider, blueprint));
    }
  }

  /** Asks those whose actions may change for what they are now. May block. */
  void refresh() {
    for (Changing one : changing) {
      List<ActionDescription> now = given(one.provider, one.blueprint);
      synchronized (this) {
        if (!now.equals(one.known)) {
          offers.values().removeIf(offer -> offer.provider() == one.provider);
          now.forEach(action -> offers.putIfAbsent(action.key(), new Offer(one.provider, action)));
          one.known = now;
        }
      }
    }
  }

  private static List<ActionDescription> given(
      ActionProvider provider, Optional<CapabilityBlueprint> blueprint) {
    return provider.actions().stream()
        .filter(action -> blueprint.map(given -> gives(given, action.key())).orElse(true))
        .map(action -> blueprint.map(given -> heldBack(given, action)).orElse(action))
        .toList();
  }

  private static boolean gives(CapabilityBlueprint blueprint, String key) {
    Set<String> included = blueprint.includeActions();
    return (included.isEmpty() || included.contains(key))
        && !blueprint.excludeActions().contains(key);
  }

  private static ActionDescription heldBack(
      CapabilityBlueprint blueprint, ActionDescription action) {
    return blueprint.approveActions().contains(action.key()) ? action.approved() : action;
  }

  private synchronized void add(ActionProvider provider, List<ActionDescription> actions) {
    for (ActionProvider known : providers) {
      if (known.name().equals(provider.name())) {
        throw AgentException.refused("two groups of actions are named " + provider.name());
      }
    }
    for (ActionDescription action : actions) {
      Offer known = offers.putIfAbsent(action.key(), new Offer(provider, action));
      if (known != null) {
        throw AgentException.refused(
            "the action "
                + action.key()
                + " is offered by "
                + known.provider().name()
                + " and by "
                + provider.name());
      }
    }
    providers.add(provider);
  }

  /** From now on there are only these. */
  synchronized void limitTo(Set<String> keys) {
    only = Optional.of(Set.copyOf(keys));
  }

  /** An action, whether it may be taken at the moment or not. */
  synchronized Optional<Offer> find(String key) {
    return Optional.ofNullable(offers.get(key));
  }

  synchronized Set<String> keys() {
    return Set.copyOf(offers.keySet());
  }

  /** Whether an action may be taken. */
  synchronized boolean active(Offer offer, Set<String> disabled) {
    return !disabled.contains(offer.provider().name())
        && only.map(keys -> keys.contains(offer.action().key())).orElse(true);
  }

  /** What may be taken, by who offers it; without those who offer nothing. */
  synchronized List<ActionGroup> groups(Set<String> disabled) {
    Map<ActionProvider, List<ActionDescription>> active = new LinkedHashMap<>();
    for (Offer offer : offers.values()) {
      if (active(offer, disabled)) {
        active.computeIfAbsent(offer.provider(), one -> new ArrayList<>()).add(offer.action());
      }
    }
    return active.entrySet().stream()
        .map(one -> new ActionGroup(one.getKey().name(), one.getKey().summary(), one.getValue()))
        .toList();
  }
}
