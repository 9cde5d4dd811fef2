package dev.colony.agent;

import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** The registered types; closed after loading. Thread-safe. */
public final class AgentTypes {

  private final Map<String, TypeProvider.PolicyFactory> policies = new HashMap<>();
  private final Map<String, TypeProvider.CapabilityFactory> capabilities = new HashMap<>();

  private AgentTypes(Iterable<? extends TypeProvider> providers) {
    TypeProvider.Types open =
        new TypeProvider.Types() {
          @Override
          public void policy(String type, TypeProvider.PolicyFactory factory) {
            put(policies, "policy", type, factory);
          }

          @Override
          public void capability(String type, TypeProvider.CapabilityFactory factory) {
            put(capabilities, "capability", type, factory);
          }
        };
    providers.forEach(provider -> provider.register(open));
  }

  /** All types of the providers that {@link ServiceLoader} finds. */
  public static AgentTypes load() {
    return new AgentTypes(ServiceLoader.load(TypeProvider.class));
  }

  /** The types of these providers only. */
  public static AgentTypes of(Iterable<? extends TypeProvider> providers) {
    return new AgentTypes(providers);
  }

  /**
   * Makes the policy that a blueprint names.
   *
   * @throws AgentException if the type is not registered or its arguments are refused
   */
  public ActionPolicy policy(Blueprint blueprint) {
    TypeProvider.PolicyFactory factory = find(policies, "policy", blueprint);
    try {
      return factory.create(blueprint.args());
    } catch (IllegalArgumentException bad) {
      throw badArguments(blueprint, bad);
    }
  }

  /**
   * Makes the capability that a blueprint names.
   *
   * @throws AgentException if the type is not registered or its arguments are refused
   */
  public AgentCapability capability(Blueprint blueprint, CapabilityContext context) {
    TypeProvider.CapabilityFactory factory = find(capabilities, "capability", blueprint);
    try {
      return factory.create(blueprint.args(), context);
    } catch (IllegalArgumentException bad) {
      throw badArguments(blueprint, bad);
    }
  }

  private static <F> void put(Map<String, F> types, String kind, String type, F factory) {
    Blueprint.of(type);
    if (types.putIfAbsent(type, factory) != null) {
      throw new IllegalStateException("the " + kind + " type " + type + " is registered twice");
    }
  }

  private static <F> F find(Map<String, F> types, String kind, Blueprint blueprint) {
    F factory = types.get(blueprint.type());
    if (factory == null) {
      throw AgentException.refused(
          "no "
              + kind
              + " type "
              + blueprint.type()
              + " is registered here; there are "
              + new TreeSet<>(types.keySet()));
    }
    return factory;
  }

  private static AgentException badArguments(Blueprint blueprint, IllegalArgumentException bad) {
    return new AgentException(
        "the arguments of " + blueprint.type() + " do not fit: " + bad.getMessage(), bad, false);
  }
}
