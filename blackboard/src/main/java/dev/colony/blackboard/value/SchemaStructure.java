package dev.colony.blackboard.value;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.PatternSyntaxException;

/**
 * Finds in a JSON schema what would keep a value from being held against it: references to what is
 * not there, and references that come back to a schema with the same value, which never end.
 *
 * <p>Schemas are the nodes of a graph. A keyword such as {@code properties} or {@code items} leads
 * to a schema for a part of the value; along those a schema may come back to itself, as that of a
 * tree does, since values end. A keyword such as {@code allOf} or {@code $ref} leads to a schema
 * for the same value: those edges have no cycle, few steps in a row, and come to few schemas in
 * all.
 */
final class SchemaStructure {

  /** Arrays and objects within each other, at most. */
  static final int MAX_DEPTH = 200;

  /** Steps from schema to schema that one value goes through, at most. */
  static final int MAX_STEPS = 64;

  /** Schemas that one value is held against, at most, each counted as often as it is come to. */
  static final int MAX_APPLIED = 20_000;

  private static final String METASCHEMA = "https://json-schema.org/draft/2020-12/";
  private static final Set<String> DIALECTS =
      Set.of(
          METASCHEMA + "schema",
          "https://json-schema.org/draft/2019-09/schema",
          "http://json-schema.org/draft-07/schema",
          "http://json-schema.org/draft-06/schema",
          "http://json-schema.org/draft-04/schema");

  /** Lead to schemas for the same value. */
  private static final List<String> SAME =
      List.of(
          "allOf",
          "anyOf",
          "oneOf",
          "not",
          "if",
          "then",
          "else",
          "dependentSchemas",
          "dependencies",
          "extends");

  /** Lead to schemas for a part of the value, or for nothing until something refers to them. */
  private static final List<String> PART =
      List.of(
          "properties",
          "patternProperties",
          "additionalProperties",
          "unevaluatedProperties",
          "propertyNames",
          "items",
          "prefixItems",
          "additionalItems",
          "unevaluatedItems",
          "contains",
          "contentSchema",
          "$defs",
          "definitions");

  /** Of these keywords the value is an object with a schema under each name. */
  private static final Set<String> NAMED =
      Set.of(
          "properties",
          "patternProperties",
          "dependentSchemas",
          "dependencies",
          "$defs",
          "definitions");

  /**
   * A schema and where it stands.
   *
   * @param resource the nearest schema around it that has an id of its own, or the root
   */
  private record Place(JsonNode schema, String pointer, Resource resource) {}

  /**
   * @param base the id, without a fragment; that of the root may be empty
   */
  private record Resource(JsonNode root, String pointer, String base) {}

  /** How many schemas a value comes to from a place on, and by how many steps. */
  private record Reach(long applied, int steps) {}

  private final BiConsumer<JsonNode, String> isSchema;
  private final Resource document;
  private final Map<JsonNode, Place> places = new IdentityHashMap<>();
  private final Map<String, Resource> resources = new HashMap<>();
  private final Map<String, Place> anchors = new HashMap<>();
  private final Map<String, List<Place>> dynamicAnchors = new HashMap<>();
  private final Deque<Place> unseen = new ArrayDeque<>();
  private final Map<Place, Reach> reaches = new IdentityHashMap<>();
  private final Set<Place> above = Collections.newSetFromMap(new IdentityHashMap<>());

  private SchemaStructure(JsonNode root, BiConsumer<JsonNode, String> isSchema) {
    this.isSchema = isSchema;
    this.document = new Resource(root, "", "");
    resources.put("", document);
  }

  /**
   * Refuses what is nested too deep to be walked.
   *
   * @throws IllegalArgumentException on one line
   */
  static void checkDepth(JsonNode root) {
    List<JsonNode> level = List.of(root);
    for (int depth = 0; !level.isEmpty(); depth++) {
      if (depth > MAX_DEPTH) {
        throw new IllegalArgumentException(
            "it is nested deeper than " + MAX_DEPTH + " levels, more than a schema may be");
      }
      List<JsonNode> next = new ArrayList<>();
      for (JsonNode node : level) {
        node.forEach(inner -> {
          if (inner.isContainerNode()) {
            next.add(inner);
          }
        });
      }
      level = next;
    }
  }

  /**
   * Checks a schema whose depth is known to be bounded and whose keywords are of the right kinds.
   *
   * @param isSchema throws where what a reference points to, with its place, is no schema
   * @throws IllegalArgumentException on one line that names the place
   */
  static void check(JsonNode root, BiConsumer<JsonNode, String> isSchema) {
    SchemaStructure structure = new SchemaStructure(root, isSchema);
    structure.add(root, "", structure.document);
    List<Place> all = new ArrayList<>();
    while (!structure.unseen.isEmpty()) {
      Place place = structure.unseen.remove();
      all.add(place);
      // Adds what stands outside of schemas and is referred to.
      structure.next(place);
    }
    all.forEach(place -> structure.reach(place, 0));
  }

  private void add(JsonNode schema, String pointer, Resource around) {
    if (!schema.isObject() || places.containsKey(schema)) {
      return;
    }
    Resource resource = around;
    JsonNode id = schema.path("$id");
    if (id.isTextual()) {
      String base = withoutFragment(resolved(around.base(), id.textValue(), pointer));
      resource = new Resource(schema, pointer, base);
      resources.putIfAbsent(base, resource);
    }
    Place place = new Place(schema, pointer, resource);
    places.put(schema, place);
    unseen.add(place);
    for (String anchor : List.of("$anchor", "$dynamicAnchor")) {
      if (schema.path(anchor).isTextual()) {
        anchors.putIfAbsent(resource.base() + "#" + schema.get(anchor).textValue(), place);
      }
    }
    if (schema.path("$dynamicAnchor").isTextual()) {
      dynamicAnchors
          .computeIfAbsent(schema.get("$dynamicAnchor").textValue(), name -> new ArrayList<>())
          .add(place);
    }
    dialect(schema, pointer);
    patterns(schema, pointer);
    for (List<String> keywords : List.of(SAME, PART)) {
      for (String keyword : keywords) {
        for (Map.Entry<String, JsonNode> inner : inner(schema, keyword).entrySet()) {
          add(inner.getValue(), pointer + inner.getKey(), resource);
        }
      }
    }
  }

  /** The schemas under a keyword, each by the rest of its pointer. */
  private static Map<String, JsonNode> inner(JsonNode schema, String keyword) {
    JsonNode value = schema.path(keyword);
    Map<String, JsonNode> inner = new LinkedHashMap<>();
    if (value.isArray()) {
      for (int i = 0; i < value.size(); i++) {
        inner.put("/" + keyword + "/" + i, value.get(i));
      }
    } else if (NAMED.contains(keyword)) {
      value
          .properties()
          .forEach(one -> inner.put("/" + keyword + "/" + escaped(one.getKey()), one.getValue()));
    } else {
      inner.put("/" + keyword, value);
    }
    return inner;
  }

  private static void dialect(JsonNode schema, String pointer) {
    JsonNode dialect = schema.path("$schema");
    if (dialect.isTextual() && !DIALECTS.contains(withoutFragment(dialect.textValue()))) {
      throw refused(pointer, "$schema names %s, which is not known", dialect.textValue());
    }
  }

  private static void patterns(JsonNode schema, String pointer) {
    List<String> patterns = new ArrayList<>();
    if (schema.path("pattern").isTextual()) {
      patterns.add(schema.get("pattern").textValue());
    }
    if (schema.path("patternProperties").isObject()) {
      schema.get("patternProperties").fieldNames().forEachRemaining(patterns::add);
    }
    for (String pattern : patterns) {
      try {
        EcmaPattern.of(pattern);
      } catch (PatternSyntaxException unread) {
        throw refused(
            pointer, "the pattern %s cannot be read: " + unread.getDescription(), pattern);
      }
    }
  }

  /** Where a value goes on from a place without going deeper. */
  private List<Place> next(Place place) {
    List<Place> next = new ArrayList<>();
    for (String keyword : SAME) {
      inner(place.schema(), keyword).values().stream()
          .map(places::get)
          .filter(Objects::nonNull)
          .forEach(next::add);
    }
    for (String keyword : List.of("$ref", "$dynamicRef", "$recursiveRef")) {
      JsonNode reference = place.schema().path(keyword);
      if (reference.isTextual()) {
        target(place, keyword, reference.textValue()).ifPresent(next::add);
      }
    }
    String dynamic = place.schema().path("$dynamicRef").asText("");
    int fragment = dynamic.indexOf('#');
    if (fragment >= 0) {
      // Which of them it comes to depends on the way there.
      next.addAll(dynamicAnchors.getOrDefault(dynamic.substring(fragment + 1), List.of()));
    }
    return next;
  }

  /** What a reference leads to; empty for a metaschema and for a boolean. */
  private Optional<Place> target(Place from, String keyword, String reference) {
    int hash = reference.indexOf('#');
    String fragment = hash < 0 ? "" : reference.substring(hash + 1);
    String base =
        hash == 0
            ? from.resource().base()
            : withoutFragment(resolved(from.resource().base(), reference, from.pointer()));
    Resource resource = hash == 0 ? from.resource() : resources.get(base);
    if (resource == null && base.startsWith(METASCHEMA)) {
      return Optional.empty();
    }
    Optional<JsonNode> found = resource == null ? Optional.empty() : found(resource, fragment);
    if (found.isEmpty() || !found.get().isObject() && !found.get().isBoolean()) {
      throw refused(
          from.pointer(), keyword + " names %s, which is no schema in this document", reference);
    }
    if (found.get().isObject() && !places.containsKey(found.get())) {
      String pointer = resource.pointer() + fragment;
      isSchema.accept(found.get(), shown(pointer));
      add(found.get(), pointer, resource);
    }
    return Optional.ofNullable(places.get(found.get()));
  }

  private Optional<JsonNode> found(Resource resource, String fragment) {
    if (fragment.isEmpty()) {
      return Optional.of(resource.root());
    }
    if (!fragment.startsWith("/")) {
      return Optional.ofNullable(anchors.get(resource.base() + "#" + fragment)).map(Place::schema);
    }
    Set<String> readings = new HashSet<>();
    readings.add(fragment);
    try {
      readings.add(URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8));
    } catch (IllegalArgumentException plain) {
      // A percent sign that stands for itself.
    }
    return readings.stream()
        .map(reading -> resource.root().at(JsonPointer.compile(reading)))
        .filter(node -> !node.isMissingNode())
        .findFirst();
  }

  private Reach reach(Place place, int steps) {
    Reach known = reaches.get(place);
    if (known != null) {
      return known;
    }
    if (!above.add(place)) {
      throw refused(
          place.pointer(),
          "it refers to itself without going deeper into the value: a schema may come back to"
              + " itself only through %s",
          "properties or items");
    }
    if (steps > MAX_STEPS) {
      throw refused(place.pointer(), "it leads through more than %s references", "" + MAX_STEPS);
    }
    long applied = 1;
    int longest = 0;
    for (Place one : next(place)) {
      Reach further = reach(one, steps + 1);
      applied += further.applied();
      longest = Math.max(longest, 1 + further.steps());
    }
    if (longest > MAX_STEPS) {
      throw refused(place.pointer(), "it leads through more than %s references", "" + MAX_STEPS);
    }
    if (applied > MAX_APPLIED) {
      throw refused(
          place.pointer(), "it holds one value against more than %s schemas", "" + MAX_APPLIED);
    }
    above.remove(place);
    Reach reach = new Reach(applied, longest);
    reaches.put(place, reach);
    return reach;
  }

  private static String resolved(String base, String reference, String pointer) {
    try {
      URI uri = URI.create(reference);
      return (base.isEmpty() ? uri : URI.create(base).resolve(uri)).toString();
    } catch (IllegalArgumentException noUri) {
      throw refused(pointer, "%s is no URI", reference);
    }
  }

  private static String withoutFragment(String uri) {
    int fragment = uri.indexOf('#');
    return fragment < 0 ? uri : uri.substring(0, fragment);
  }

  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }

  private static String shown(String pointer) {
    return "#" + pointer;
  }

  private static IllegalArgumentException refused(String pointer, String why, String what) {
    return new IllegalArgumentException(
        Text.message(shown(pointer) + ": " + why.replace("%s", Text.line(what, 100))));
  }
}
