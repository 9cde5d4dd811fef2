package dev.colony.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Range;
import java.lang.reflect.AnnotatedElement;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** What a parameter's or a record component's annotations add to its type's schema. */
final class Described {

  private Described() {}

  /**
   * Adds them.
   *
   * @param type of the value, without what makes it optional
   * @throws IllegalArgumentException if a range is given for what has neither value nor size
   */
  static void add(ObjectNode schema, AnnotatedElement element, Class<?> type) {
    Param param = element.getAnnotation(Param.class);
    if (param != null && !param.value().isEmpty()) {
      schema.put("description", param.value());
    }
    if (param != null && !param.defaultValue().isEmpty()) {
      schema.set("default", given(element, param.defaultValue(), type));
    }
    Range range = element.getAnnotation(Range.class);
    if (range != null) {
      String measure = measure(element, type);
      bound(schema, measure.isEmpty() ? "minimum" : "min" + measure, range.min());
      bound(schema, measure.isEmpty() ? "maximum" : "max" + measure, range.max());
    }
  }

  /**
   * A default value, read as JSON unless the parameter is a text.
   *
   * @throws IllegalArgumentException if it is no value of the type
   */
  static JsonNode given(AnnotatedElement element, String text, Class<?> type) {
    try {
      JsonNode value =
          type == String.class || type.isEnum()
              ? JsonNodeFactory.instance.textNode(text)
              : JsonValues.parse(text);
      JsonValues.read(value, type);
      return value;
    } catch (JsonProcessingException | IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          "the default of " + element + " is no " + type.getSimpleName() + ": " + text, wrong);
    }
  }

  /** The same schema, satisfied by null as well. */
  static ObjectNode nullable(ObjectNode schema) {
    ObjectNode none = JsonNodeFactory.instance.objectNode().put("type", "null");
    if (schema.isEmpty()) {
      return schema;
    }
    if (schema.path("type").isTextual() && !schema.has("enum")) {
      String type = schema.path("type").textValue();
      ArrayNode either = JsonNodeFactory.instance.arrayNode().add(type).add("null");
      schema.set("type", either);
      return schema;
    }
    ObjectNode either = JsonNodeFactory.instance.objectNode();
    either.putArray("anyOf").add(schema).add(none);
    return either;
  }

  private static void bound(ObjectNode schema, String keyword, double bound) {
    if (Double.isFinite(bound)) {
      if (bound == (int) bound) {
        schema.put(keyword, (int) bound);
      } else {
        schema.put(keyword, bound);
      }
    }
  }

  private static String measure(AnnotatedElement element, Class<?> type) {
    if (Number.class.isAssignableFrom(type)
        || type.isPrimitive() && type != boolean.class && type != char.class) {
      return "";
    }
    return Optional.<String>empty()
        .or(() -> type == String.class ? Optional.of("Length") : Optional.empty())
        .or(() ->
            Collection.class.isAssignableFrom(type) || type.isArray()
                ? Optional.of("Items")
                : Optional.empty())
        .or(() -> Map.class.isAssignableFrom(type) ? Optional.of("Properties") : Optional.empty())
        .orElseThrow(() ->
            new IllegalArgumentException(
                "@Range stands on " + element + ", which has neither a value nor a size"));
  }
}
