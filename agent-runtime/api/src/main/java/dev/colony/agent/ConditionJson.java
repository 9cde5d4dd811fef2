package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.vcm.PageId;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Conditions as JSON: the seed's word under {@code type}, and what belongs to it. */
final class ConditionJson {

  private static final String TYPE = "type";
  private static final String AFTER = "after";
  private static final String OF = "of";

  /** What each type has beside its type. */
  private static final Map<String, List<String>> FIELDS =
      Map.of(
          "CHILDREN_COMPLETED", List.of("agents"),
          "RESOURCE_AVAILABLE", List.of(),
          "PAGES_AVAILABLE", List.of("pages"),
          "IMMEDIATE", List.of(),
          "CUSTOM", List.of("key"),
          "AT", List.of("time"),
          "EVENT", List.of("scope", "pattern", AFTER),
          "APPROVAL", List.of("request", AFTER),
          "ALL", List.of(OF),
          "ANY", List.of(OF));

  private ConditionJson() {}

  static ObjectNode write(ResumptionCondition condition) {
    return switch (condition) {
      case ResumptionCondition.ChildrenCompleted children ->
          list("CHILDREN_COMPLETED", "agents", children.agents());
      case ResumptionCondition.ResourceAvailable room -> type("RESOURCE_AVAILABLE");
      case ResumptionCondition.PagesAvailable pages ->
          list("PAGES_AVAILABLE", "pages", pages.pages());
      case ResumptionCondition.Immediate now -> type("IMMEDIATE");
      case ResumptionCondition.Custom custom -> type("CUSTOM").put("key", custom.key());
      case ResumptionCondition.At at -> type("AT").put("time", at.time().toString());
      case ResumptionCondition.Event event -> event(event);
      case ResumptionCondition.Approved approved ->
          begun(type("APPROVAL").put("request", approved.request()), approved.after());
      case ResumptionCondition.All all -> several("ALL", all.of());
      case ResumptionCondition.AnyOf any -> several("ANY", any.of());
    };
  }

  /**
   * What a caller gives, which must have no fields that mean nothing.
   *
   * @throws IllegalArgumentException naming the condition and the field that is missing, unknown or
   *     unfit
   */
  static ResumptionCondition given(JsonNode json) {
    known(json);
    return read(json);
  }

  private static void known(JsonNode json) {
    List<String> known = FIELDS.get(json.path(TYPE).asText());
    if (known != null) {
      json.fieldNames()
          .forEachRemaining(name -> {
            if (!name.equals(TYPE) && !known.contains(name)) {
              throw refused(
                  json,
                  "has no field %s; it has %s"
                      .formatted(name, known.isEmpty() ? "none" : String.join(", ", known)));
            }
          });
    }
    json.path(OF).forEach(ConditionJson::known);
  }

  /** What is stored: fields that a newer node has written are passed over. */
  static ResumptionCondition read(JsonNode json) {
    String type = json.path(TYPE).asText();
    return switch (type) {
      case "CHILDREN_COMPLETED" ->
          new ResumptionCondition.ChildrenCompleted(each(json, "agents", AgentId::parse));
      case "RESOURCE_AVAILABLE" -> new ResumptionCondition.ResourceAvailable();
      case "PAGES_AVAILABLE" ->
          new ResumptionCondition.PagesAvailable(each(json, "pages", PageId::new));
      case "IMMEDIATE" -> new ResumptionCondition.Immediate();
      case "CUSTOM" -> new ResumptionCondition.Custom(text(json, "key"));
      case "AT" -> new ResumptionCondition.At(time(text(json, "time")));
      case "EVENT" ->
          new ResumptionCondition.Event(
              Scope.parse(text(json, "scope")), new KeyGlob(text(json, "pattern")), after(json));
      case "APPROVAL" -> new ResumptionCondition.Approved(text(json, "request"), after(json));
      case "ALL" -> new ResumptionCondition.All(of(json));
      case "ANY" -> new ResumptionCondition.AnyOf(of(json));
      default ->
          throw new IllegalArgumentException(
              "a condition is an object whose type is CHILDREN_COMPLETED, RESOURCE_AVAILABLE,"
                  + " PAGES_AVAILABLE, IMMEDIATE, CUSTOM, AT, EVENT, APPROVAL, ALL or ANY"
                  + (type.isEmpty() ? "" : ", not: " + type));
    };
  }

  private static String text(JsonNode json, String name) {
    JsonNode value = json.path(name);
    if (value.isMissingNode()) {
      throw refused(json, "needs the field " + name);
    }
    if (!value.isTextual()) {
      throw refused(json, "needs text as " + name + ", not: " + value.getNodeType());
    }
    return value.textValue();
  }

  private static <T> List<T> each(JsonNode json, String name, Function<String, T> element) {
    return list(json, name).stream()
        .map(one -> {
          if (!one.isTextual()) {
            throw refused(json, "needs a list of texts as " + name);
          }
          return element.apply(one.textValue());
        })
        .toList();
  }

  private static List<ResumptionCondition> of(JsonNode json) {
    return list(json, OF).stream().map(ConditionJson::read).toList();
  }

  private static List<JsonNode> list(JsonNode json, String name) {
    if (!json.path(name).isArray()) {
      throw refused(json, "needs a list as " + name);
    }
    return json.path(name).valueStream().toList();
  }

  private static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException unfit) {
      throw new IllegalArgumentException(
          "the condition AT needs a time like 2030-01-31T12:00:00Z, not: " + text, unfit);
    }
  }

  private static IllegalArgumentException refused(JsonNode json, String words) {
    return new IllegalArgumentException("the condition " + json.path(TYPE).asText() + " " + words);
  }

  private static ObjectNode event(ResumptionCondition.Event event) {
    ObjectNode json = type("EVENT");
    json.put("scope", event.scope().path()).put("pattern", event.pattern().pattern());
    return begun(json, event.after());
  }

  private static ObjectNode begun(ObjectNode json, Optional<Position> after) {
    after.ifPresent(position -> json.put(AFTER, position.toString()));
    return json;
  }

  private static Optional<Position> after(JsonNode json) {
    return json.has(AFTER) ? Optional.of(Position.parse(text(json, AFTER))) : Optional.empty();
  }

  private static ObjectNode type(String type) {
    return JsonNodeFactory.instance.objectNode().put(TYPE, type);
  }

  private static ObjectNode list(String type, String name, List<?> values) {
    ObjectNode json = type(type);
    ArrayNode array = json.putArray(name);
    values.forEach(value -> array.add(value.toString()));
    return json;
  }

  private static ObjectNode several(String type, List<ResumptionCondition> of) {
    ObjectNode json = type(type);
    ArrayNode array = json.putArray(OF);
    of.forEach(one -> array.add(write(one)));
    return json;
  }
}
