package dev.colony.agent.suspension;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.vcm.PageId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.StreamSupport;

/** Conditions as JSON: the seed's word under {@code type}, and what belongs to it. */
final class ConditionJson {

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

  static ResumptionCondition read(JsonNode json) {
    String type = json.path("type").asText();
    return switch (type) {
      case "CHILDREN_COMPLETED" ->
          new ResumptionCondition.ChildrenCompleted(
              each(json.path("agents"), one -> AgentId.parse(one.asText())));
      case "RESOURCE_AVAILABLE" -> new ResumptionCondition.ResourceAvailable();
      case "PAGES_AVAILABLE" ->
          new ResumptionCondition.PagesAvailable(
              each(json.path("pages"), one -> new PageId(one.asText())));
      case "IMMEDIATE" -> new ResumptionCondition.Immediate();
      case "CUSTOM" -> new ResumptionCondition.Custom(json.path("key").asText());
      case "AT" -> new ResumptionCondition.At(Instant.parse(json.path("time").asText()));
      case "EVENT" ->
          new ResumptionCondition.Event(
              Scope.parse(json.path("scope").asText()),
              new KeyGlob(json.path("pattern").asText()),
              after(json));
      case "APPROVAL" ->
          new ResumptionCondition.Approved(json.path("request").asText(), after(json));
      case "ALL" -> new ResumptionCondition.All(each(json.path("of"), ConditionJson::read));
      case "ANY" -> new ResumptionCondition.AnyOf(each(json.path("of"), ConditionJson::read));
      default ->
          throw new IllegalArgumentException(
              "a condition is an object whose type is CHILDREN_COMPLETED, RESOURCE_AVAILABLE,"
                  + " PAGES_AVAILABLE, IMMEDIATE, CUSTOM, AT, EVENT, APPROVAL, ALL or ANY"
                  + (type.isEmpty() ? "" : ", not: " + type));
    };
  }

  private static ObjectNode event(ResumptionCondition.Event event) {
    ObjectNode json = type("EVENT");
    json.put("scope", event.scope().path()).put("pattern", event.pattern().pattern());
    return begun(json, event.after());
  }

  private static ObjectNode begun(ObjectNode json, Optional<Position> after) {
    after.ifPresent(position -> json.put("after", position.toString()));
    return json;
  }

  private static Optional<Position> after(JsonNode json) {
    return Optional.ofNullable(json.get("after")).map(one -> Position.parse(one.asText()));
  }

  private static ObjectNode type(String type) {
    return JsonNodeFactory.instance.objectNode().put("type", type);
  }

  private static ObjectNode list(String type, String name, List<?> values) {
    ObjectNode json = type(type);
    ArrayNode array = json.putArray(name);
    values.forEach(value -> array.add(value.toString()));
    return json;
  }

  private static ObjectNode several(String type, List<ResumptionCondition> of) {
    ObjectNode json = type(type);
    ArrayNode array = json.putArray("of");
    of.forEach(one -> array.add(write(one)));
    return json;
  }

  private static <T> List<T> each(JsonNode array, Function<JsonNode, T> element) {
    return StreamSupport.stream(array.spliterator(), false).map(element).toList();
  }
}
