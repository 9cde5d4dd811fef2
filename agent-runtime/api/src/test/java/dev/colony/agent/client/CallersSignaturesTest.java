package dev.colony.agent.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What callers hold shows them views, and nothing of what is stored or of how it is sent. */
class CallersSignaturesTest {

  private static final List<Class<?>> ROOTS =
      List.of(
          AgentHandle.class,
          Colony.class,
          RunHandle.class,
          Sessions.class,
          Session.class,
          Children.class);

  private static final List<String> HIDDEN =
      List.of(
          "dev.colony.core.",
          "dev.colony.journal.",
          "dev.colony.client.",
          "dev.colony.node.",
          "org.apache.pekko.",
          "io.lettuce.");

  /** How each type was reached, by the type. */
  private final Map<Class<?>, String> reached = new LinkedHashMap<>();

  private final Deque<Class<?>> open = new ArrayDeque<>();

  @Test
  void noPublicSignatureReachesAJournalRecordOrATransport() {
    ROOTS.forEach(root -> reach(root, root.getSimpleName()));
    while (!open.isEmpty()) {
      Class<?> type = open.remove();
      String way = reached.get(type);
      if (type.isSealed()) {
        Arrays.stream(type.getPermittedSubclasses())
            .forEach(variant -> reach(variant, way + " > " + variant.getSimpleName()));
      }
      for (Method method : type.getMethods()) {
        Stream.concat(
                Stream.of(method.getGenericReturnType()),
                Arrays.stream(method.getGenericParameterTypes()))
            .forEach(used -> reach(used, way + " > " + method.getName()));
      }
    }
    assertThat(reached).containsKeys(AgentView.class, LifecycleEvent.Spawned.class);
    assertThat(reached.entrySet())
        .filteredOn(type -> HIDDEN.stream().anyMatch(type.getKey().getName()::startsWith))
        .isEmpty();
  }

  private void reach(Type type, String way) {
    switch (type) {
      case Class<?> named when named.isArray() -> reach(named.componentType(), way);
      case Class<?> named -> {
        if (reached.putIfAbsent(named, way) == null && named.getName().startsWith("dev.colony.")) {
          open.add(named);
        }
      }
      case ParameterizedType generic -> {
        reach(generic.getRawType(), way);
        Arrays.stream(generic.getActualTypeArguments()).forEach(one -> reach(one, way));
      }
      case WildcardType wildcard ->
          Arrays.stream(wildcard.getUpperBounds()).forEach(one -> reach(one, way));
      case GenericArrayType array -> reach(array.getGenericComponentType(), way);
      default -> {}
    }
  }
}
