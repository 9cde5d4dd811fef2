package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Puts something else in one place of a JSON value, or takes something away there. */
final class Mutation {

  private static final List<String> FIELDS =
      List.of("@class", "@type", "type", "args", "version", "policy", "kind", "extra", "budget");

  private Mutation() {}

  static JsonNode of(JsonNode json, JsonNode other, Random random) {
    JsonNode copy = json.deepCopy();
    List<JsonNode> containers = new ArrayList<>();
    collect(copy, containers);
    JsonNode place = containers.get(random.nextInt(containers.size()));
    if (place instanceof ArrayNode array) {
      if (array.isEmpty() || random.nextBoolean()) {
        array.add(other);
      } else {
        array.set(random.nextInt(array.size()), other);
      }
      return copy;
    }
    ObjectNode object = (ObjectNode) place;
    List<String> names = new ArrayList<>();
    object.fieldNames().forEachRemaining(names::add);
    switch (names.isEmpty() ? 0 : random.nextInt(3)) {
      case 0 -> object.set(FIELDS.get(random.nextInt(FIELDS.size())), other);
      case 1 -> object.set(names.get(random.nextInt(names.size())), other);
      default -> object.remove(names.get(random.nextInt(names.size())));
    }
    return random.nextInt(50) == 0 ? other : copy;
  }

  private static void collect(JsonNode json, List<JsonNode> containers) {
    if (json.isContainerNode()) {
      containers.add(json);
      json.forEach(inner -> collect(inner, containers));
    }
  }
}
