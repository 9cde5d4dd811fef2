package dev.colony.server.node;

import dev.colony.core.registry.AgentTypes;
import dev.colony.server.InvalidConfigurationException;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.function.Supplier;

/** The types of the class path, of which a part is the user's own. */
final class ClassPathTypes {

  private ClassPathTypes() {}

  /**
   * @param installed looks for them
   * @throws InvalidConfigurationException if a jar names a provider that cannot be loaded, or one
   *     fails
   */
  static AgentTypes of(Supplier<AgentTypes> installed) {
    try {
      return installed.get();
    } catch (ServiceConfigurationError | LinkageError | IllegalStateException broken) {
      String why = Optional.ofNullable(broken.getCause()).orElse(broken).getMessage();
      throw new InvalidConfigurationException("the agents' types cannot be loaded: " + why, broken);
    }
  }
}
