package dev.colony.agent;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Binds arguments to the types that are installed here, for {@link Blueprint#bind}. Found by {@link
 * ServiceLoader}; the runtime brings it, types are registered by a {@link
 * dev.colony.agent.author.TypeProvider}. Thread-safe.
 */
public interface BlueprintBinder {

  /** See {@link Blueprint#bind(Class, Object)}. */
  Blueprint bind(Class<?> type, Object args);

  /** See {@link Blueprint#bind(Class)}. */
  Blueprint bind(Class<?> type);

  /**
   * A blueprint of the tools of a plain object: under the name that its class is registered by,
   * else under that of the class. It holds the components of a record, and nothing of other
   * objects.
   *
   * @throws IllegalArgumentException on one line, if the class has no {@link
   *     dev.colony.agent.author.ActionExecutor} method, one that cannot be called with JSON, or no
   *     name of its own
   */
  Blueprint tools(Object object);

  /**
   * What stands for hooks that are code of this program, with their names; the hooks themselves do
   * not travel.
   *
   * @param hooks each a {@link dev.colony.agent.author.AgentHook}
   * @throws IllegalArgumentException on one line, if one is not, or two have one name
   */
  Blueprint hooks(List<?> hooks);

  /**
   * Checks all that a stream is made of; nothing is made.
   *
   * @throws AgentException on one line, naming what is not installed here or not accepted
   */
  void check(StreamBlueprint stream);

  /**
   * Checks that a capability has the actions that its blueprint names; of one whose type is not
   * installed here, or whose class does not declare its actions, nothing is known.
   *
   * @throws AgentException on one line, naming the action and those that there are
   */
  void check(CapabilityBlueprint capability);

  /**
   * The one that is installed.
   *
   * @throws IllegalStateException if none is on the class path
   */
  static BlueprintBinder installed() {
    return find()
        .orElseThrow(() ->
            new IllegalStateException(
                "blueprints cannot be bound to classes here: add the module agent-core to the"
                    + " class path, or name the type: new Blueprint(type, args)"));
  }

  /** The same, or empty if none is on the class path. */
  static Optional<BlueprintBinder> find() {
    final class Installed {
      private static final Optional<BlueprintBinder> ONE =
          ServiceLoader.load(BlueprintBinder.class, BlueprintBinder.class.getClassLoader())
              .findFirst();
    }
    return Installed.ONE;
  }
}
