package dev.colony.core.registry;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The blueprints among a type's arguments: a filter that is made of filters, a capability that may
 * spawn agents. They are found by their Java types, so that JSON that merely looks like one is not
 * taken for one.
 */
final class NestedBlueprints {

  private final List<Object> found = new ArrayList<>();

  private NestedBlueprints() {}

  /** All that stand in a record of arguments, those within them left out. */
  static List<Object> in(Object args) {
    NestedBlueprints nested = new NestedBlueprints();
    nested.visit(args);
    return nested.found;
  }

  private void visit(Object value) {
    switch (value) {
      case Blueprint blueprint -> found.add(blueprint);
      case AgentBlueprint blueprint -> found.add(blueprint);
      case CapabilityBlueprint blueprint -> found.add(blueprint.what());
      case StreamBlueprint blueprint -> found.add(blueprint);
      case Optional<?> optional -> optional.ifPresent(this::visit);
      case Collection<?> elements -> elements.forEach(this::visit);
      case Map<?, ?> map -> map.values().forEach(this::visit);
      case Object[] elements -> Arrays.asList(elements).forEach(this::visit);
      case Record fields -> components(fields);
      case null, default -> {}
    }
  }

  private void components(Record fields) {
    for (RecordComponent component : fields.getClass().getRecordComponents()) {
      try {
        component.getAccessor().setAccessible(true);
        visit(component.getAccessor().invoke(fields));
      } catch (InvocationTargetException | IllegalAccessException broken) {
        throw new IllegalArgumentException(component + " cannot be read", broken);
      }
    }
  }
}
