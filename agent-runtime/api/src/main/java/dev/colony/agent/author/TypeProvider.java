package dev.colony.agent.author;

import dev.colony.agent.author.Registered.Upcaster;

/**
 * Registers types under the names that blueprints carry. Found through {@link
 * java.util.ServiceLoader}; the registry is closed once it is loaded.
 */
public interface TypeProvider {

  void register(Types types);

  /** Where types are registered; a name registered twice is refused. */
  interface Types {

    /**
     * Registers a class that is {@link Registered}: a policy, a capability, a stream filter, a
     * formatter, or of another kind that is asked for by its interface.
     *
     * @throws IllegalStateException if the class cannot be bound: no name, not exactly one
     *     constructor, a final method that is hookable
     */
    void add(Class<?> type);

    /** The same for a type whose arguments had other shapes in earlier versions. */
    void add(Class<?> type, Upcaster upcaster);
  }
}
