package dev.colony.core.capability;

import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.Background;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;

/**
 * A {@link Background} method as it was read.
 *
 * @param name unique within its capability
 * @param effect for the planning prompt
 * @param every the pause between two calls
 */
public record BackgroundMethod(String name, String effect, Duration every, Method method) {

  static BackgroundMethod read(Method method) {
    Background declared = method.getAnnotation(Background.class);
    if (method.getParameterCount() > 0) {
      throw AnnotatedMethods.refused(
          method, "takes parameters: a @Background method is called without any");
    }
    Duration every =
        DurationText.parse(declared.every())
            .orElseThrow(() ->
                AnnotatedMethods.refused(
                    method, "pauses for \"" + declared.every() + "\", which is no 30s, 2m or 1h"));
    return new BackgroundMethod(
        declared.name().isEmpty() ? method.getName() : declared.name(),
        declared.effect(),
        every,
        method);
  }

  /**
   * Calls it once.
   *
   * @throws Exception what the method throws
   */
  public void call(AgentCapability capability) throws Exception {
    try {
      method.invoke(capability);
    } catch (InvocationTargetException thrown) {
      throw Thrown.by(thrown);
    }
  }
}
