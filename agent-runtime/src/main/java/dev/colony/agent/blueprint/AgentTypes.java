package dev.colony.agent.blueprint;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The registered types; closed after loading. Thread-safe. */
public final class AgentTypes {

  /** Loaded when first asked for. */
  private static final class Installed {
    private static final AgentTypes TYPES = of(ServiceLoader.load(TypeProvider.class));
  }

  private final Map<String, Class<?>> byName = new TreeMap<>();

  private AgentTypes(Iterable<? extends TypeProvider> providers) {
    TypeProvider.Types open =
        new TypeProvider.Types() {
          @Override
          public void add(Class<?> type) {
            Registered name = type.getAnnotation(Registered.class);
            if (name == null) {
              throw new IllegalStateException(type.getName() + " is not @Registered");
            }
            if (byName.putIfAbsent(name.value(), type) != null) {
              throw new IllegalStateException("the type " + name.value() + " is registered twice");
            }
          }

          @Override
          public void add(Class<?> type, Upcaster upcaster) {
            add(type);
          }
        };
    providers.forEach(provider -> provider.register(open));
  }

  /** All types of the providers that {@link ServiceLoader} finds. */
  public static AgentTypes installed() {
    return Installed.TYPES;
  }

  /** The types of these providers only. */
  public static AgentTypes of(Iterable<? extends TypeProvider> providers) {
    return new AgentTypes(providers);
  }

  /** See {@link Blueprint#bind(Class, Object)}. */
  public Blueprint bind(Class<?> type, Object args) {
    Registered name = type.getAnnotation(Registered.class);
    if (name == null || byName.get(name.value()) != type) {
      throw new IllegalArgumentException(type.getName() + " is not registered");
    }
    return new Blueprint(name.value(), name.version(), Arguments.toJson(args));
  }

  /** See {@link Blueprint#bind(Class)}. */
  public Blueprint bind(Class<?> type) {
    Registered name = type.getAnnotation(Registered.class);
    if (name == null || byName.get(name.value()) != type) {
      throw new IllegalArgumentException(type.getName() + " is not registered");
    }
    return new Blueprint(name.value(), name.version(), JsonNodeFactory.instance.objectNode());
  }

  /**
   * The class that a blueprint names, nothing being instantiated.
   *
   * @param kind what it has to be
   * @throws AgentException if it is not registered or of another kind
   */
  public <T> Class<? extends T> find(Class<T> kind, Blueprint blueprint) {
    Class<?> type = byName.get(blueprint.type());
    if (type == null || !kind.isAssignableFrom(type)) {
      throw AgentException.refused(
          "no " + kind.getSimpleName() + " " + blueprint.type() + " is registered here");
    }
    return type.asSubclass(kind);
  }

  /**
   * Makes what a blueprint names. Its constructor is given the arguments as the record that it asks
   * for, and those of the injected objects that it asks for, by their types, in any order.
   *
   * @throws AgentException if the type is not registered or of another kind, its version is not
   *     understood, its arguments do not fit, or its constructor refuses
   */
  public <T> T create(Class<T> kind, Blueprint blueprint, Object... injected) {
    Class<? extends T> type = find(kind, blueprint);
    return Arguments.construct(type, blueprint.args(), injected);
  }
}
