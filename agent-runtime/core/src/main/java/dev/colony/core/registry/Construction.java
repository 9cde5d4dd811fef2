package dev.colony.core.registry;

import dev.colony.agent.AgentException;
import dev.colony.core.weave.Weaver;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Optional;

/** Makes what is registered, once everything about it has been checked. */
final class Construction {

  private Construction() {}

  /**
   * Calls the constructor, of the woven class where there are hookable methods.
   *
   * @param args what it takes as its arguments
   * @param injected what it may ask for by type
   * @throws AgentException if it asks for more, or refuses
   */
  static Object of(RegisteredType type, Optional<Object> args, Object... injected) {
    Constructor<?> constructor = type.constructor();
    Object[] given =
        Arrays.stream(constructor.getParameterTypes())
            .map(wanted ->
                type.args().filter(wanted::equals).isPresent()
                    ? args.orElseThrow()
                    : injected(type, wanted, injected))
            .toArray();
    try {
      return Weaver.construct(constructor, given);
    } catch (InvocationTargetException refused) {
      throw refused(type, refused.getCause());
    } catch (ReflectiveOperationException | RuntimeException broken) {
      throw refused(type, broken);
    }
  }

  private static Object injected(RegisteredType type, Class<?> wanted, Object... injected) {
    return Arrays.stream(injected)
        .filter(wanted::isInstance)
        .findFirst()
        .orElseThrow(() ->
            AgentException.refused(
                type.name() + " asks for a " + wanted.getName() + ", which is not given here"));
  }

  private static AgentException refused(RegisteredType type, Throwable why) {
    if (why instanceof VirtualMachineError fatal && !(why instanceof StackOverflowError)) {
      throw fatal;
    }
    String message = why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
    return new AgentException(type.name() + " could not be made: " + message, why, false);
  }
}
