package dev.colony.client.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.colony.agent.client.AgentView;
import dev.colony.client.wire.WireJson;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * In what two states of agents differ, as JSON. Lists are held against each other by position, with
 * what they begin with in common left out, and for a window that has rolled on what it has lost.
 *
 * @param changes in the order of their paths
 */
public record StateDifference(List<Change> changes) {

  /**
   * A value that is not the same.
   *
   * @param path a JSON Pointer (RFC 6901) into the state
   * @param before empty where there was none
   * @param after empty where there is none
   */
  public record Change(String path, Optional<JsonNode> before, Optional<JsonNode> after) {}

  public StateDifference {
    changes = List.copyOf(changes);
  }

  /** From one state to another. Cost: linear in both, times what windows have lost. */
  public static StateDifference between(AgentView before, AgentView after) {
    List<Change> changes = new ArrayList<>();
    compare("", state(before), state(after), changes);
    return new StateDifference(changes);
  }

  /** Without the number of the event, which always differs. */
  private static JsonNode state(AgentView agent) {
    return WireJson.write(agent).without("sequenceNr");
  }

  private static void compare(String path, JsonNode one, JsonNode other, List<Change> changes) {
    if (one.equals(other)) {
      return;
    }
    if (one.isObject() && other.isObject()) {
      TreeSet<String> names = new TreeSet<>();
      one.fieldNames().forEachRemaining(names::add);
      other.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        compare(path + "/" + escaped(name), one.path(name), other.path(name), changes);
      }
    } else if (list(one) && list(other)) {
      lists(path, one, other, changes);
    } else {
      changes.add(new Change(path, there(one), there(other)));
    }
  }

  /** A list, or what stands for an empty one: what is empty is left out of a state. */
  private static boolean list(JsonNode value) {
    return value.isArray() || value.isMissingNode();
  }

  private static void lists(String path, JsonNode one, JsonNode other, List<Change> changes) {
    int lost = lost(one, other);
    for (int i = 0; i < lost; i++) {
      changes.add(new Change(path + "/" + i, Optional.of(one.get(i)), Optional.empty()));
    }
    int kept = one.size() - lost;
    for (int i = 0; i < Math.max(kept, other.size()); i++) {
      compare(path + "/" + i, one.path(lost + i), other.path(i), changes);
    }
  }

  /** How many of the oldest elements are gone, if all that is left of them is in the other list. */
  private static int lost(JsonNode one, JsonNode other) {
    for (int lost = 0; lost < one.size(); lost++) {
      if (begins(one, lost, other)) {
        return lost;
      }
    }
    return 0;
  }

  private static boolean begins(JsonNode one, int from, JsonNode other) {
    if (one.size() - from > other.size()) {
      return false;
    }
    Iterator<JsonNode> others = other.elements();
    for (int i = from; i < one.size(); i++) {
      if (!one.get(i).equals(others.next())) {
        return false;
      }
    }
    return true;
  }

  private static Optional<JsonNode> there(JsonNode value) {
    return value instanceof MissingNode ? Optional.empty() : Optional.of(value);
  }

  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }
}
