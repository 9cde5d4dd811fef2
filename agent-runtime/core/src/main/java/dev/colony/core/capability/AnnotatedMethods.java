package dev.colony.core.capability;

import dev.colony.agent.author.AgentCapability;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds the methods of a capability's class that carry an annotation, inherited ones included. */
final class AnnotatedMethods {

  private AnnotatedMethods() {}

  /**
   * In the order of the classes, the base class first, and of the names within one. A method that
   * is overridden counts once; the annotation nearest to the class holds.
   *
   * @throws IllegalArgumentException if one is static or abstract
   */
  static <A extends Annotation> List<Method> of(
      Class<? extends AgentCapability> type, Class<A> annotation) {
    List<Method> found = new ArrayList<>();
    Set<String> known = new HashSet<>();
    for (Class<?> at = type; at != AgentCapability.class && at != null; at = at.getSuperclass()) {
      Method[] declared = at.getDeclaredMethods();
      Arrays.sort(declared, Comparator.comparing(AnnotatedMethods::signature).reversed());
      for (Method method : declared) {
        if (!method.isSynthetic()
            && method.isAnnotationPresent(annotation)
            && known.add(signature(method))) {
          check(method, annotation);
          method.setAccessible(true);
          found.add(method);
        }
      }
    }
    Collections.reverse(found);
    return List.copyOf(found);
  }

  /** Names a method in refusals. */
  static String name(Method method) {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }

  static IllegalArgumentException refused(Method method, String why) {
    return new IllegalArgumentException(name(method) + " " + why);
  }

  private static void check(Method method, Class<? extends Annotation> annotation) {
    if (Modifier.isStatic(method.getModifiers()) || Modifier.isAbstract(method.getModifiers())) {
      throw refused(
          method, "is static or abstract: @" + annotation.getSimpleName() + " needs a method");
    }
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }
}
