package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Keywords of JSON schemas that servers have no grammar for. They become a part of the description:
 * the model reads them there, and the reply is held to them when it has come.
 */
final class SchemaKeywords {

  /** In the fields that a {@link Dialect} omits, what a keyword begins with. */
  static final String MARK = "#";

  /** No engine that is known decodes by them, and some refuse a schema that has one. */
  private static final Set<String> NEVER =
      Set.of("uniqueItems", "contains", "minContains", "maxContains");

  /** The same where it is not said which properties there are. */
  private static final Set<String> COUNTS = Set.of("minProperties", "maxProperties");

  /** Keywords whose value is a schema, or a list of schemas. */
  private static final Set<String> BELOW =
      Set.of("items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf", "not");

  /** Keywords whose value names schemas. */
  private static final Set<String> NAMED =
      Set.of("properties", "patternProperties", "$defs", "definitions");

  /** Without these a schema is another one, or says nothing. */
  private static final Set<String> ESSENTIAL =
      Set.of(
          "type",
          "properties",
          "required",
          "items",
          "enum",
          "const",
          "$ref",
          "anyOf",
          "description");

  private SchemaKeywords() {}

  /**
   * The schema without what no server takes, and without what this one has refused.
   *
   * @param omitted of the dialect: of these the keywords
   */
  static JsonNode held(JsonNode schema, Set<String> omitted) {
    Set<String> refused = new TreeSet<>();
    for (String one : omitted) {
      if (one.startsWith(MARK)) {
        refused.add(one.substring(MARK.length()));
      }
    }
    return rewritten(schema, refused);
  }

  private static JsonNode rewritten(JsonNode schema, Set<String> refused) {
    if (schema.isArray()) {
      var all = JsonNodeFactory.instance.arrayNode();
      schema.forEach(one -> all.add(rewritten(one, refused)));
      return all;
    }
    if (!schema.isObject()) {
      return schema;
    }
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    List<String> said = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : schema.properties()) {
      String keyword = one.getKey();
      JsonNode value = one.getValue();
      boolean bare = COUNTS.contains(keyword) && schema.path("properties").isEmpty();
      if (bare || NEVER.contains(keyword) || refused.contains(keyword)) {
        said.add(keyword + ": " + value);
      } else if (NAMED.contains(keyword) && value.isObject()) {
        ObjectNode named = node.putObject(keyword);
        value.properties().forEach(of -> named.set(of.getKey(), rewritten(of.getValue(), refused)));
      } else {
        node.set(keyword, BELOW.contains(keyword) ? rewritten(value, refused) : value);
      }
    }
    if (!said.isEmpty()) {
      String words = schema.path("description").asText("");
      String bounds = String.join("; ", said);
      node.put("description", words.isEmpty() ? bounds : words + "; " + bounds);
    }
    return node;
  }

  /** Keywords that a refusal names and a schema has, each as a dialect omits it. */
  static Set<String> refused(String message, JsonNode schema) {
    Set<String> all = new TreeSet<>();
    collect(schema, all);
    all.removeIf(keyword -> !message.matches("(?s).*[\"'`]" + keyword + "[\"'`].*"));
    Set<String> marked = new TreeSet<>();
    all.forEach(keyword -> marked.add(MARK + keyword));
    return marked;
  }

  private static void collect(JsonNode schema, Set<String> keywords) {
    schema
        .properties()
        .forEach(one -> {
          String keyword = one.getKey();
          if (keyword.matches("[a-zA-Z]+") && !ESSENTIAL.contains(keyword)) {
            keywords.add(keyword);
          }
          if (NAMED.contains(keyword)) {
            one.getValue().forEach(below -> collect(below, keywords));
          } else if (BELOW.contains(keyword)) {
            collect(one.getValue(), keywords);
          }
        });
    if (schema.isArray()) {
      schema.forEach(one -> collect(one, keywords));
    }
  }
}
