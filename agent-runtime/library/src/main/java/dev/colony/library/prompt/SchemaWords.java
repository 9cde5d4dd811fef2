package dev.colony.library.prompt;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** The parameters of an action in few words: name, type, whether optional, description. */
final class SchemaWords {

  private static final int MOST_CHARS = 600;

  private SchemaWords() {}

  static String parameters(JsonNode schema) {
    List<String> required = texts(schema.path("required"));
    List<String> parameters = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : schema.path("properties").properties()) {
      String optional = required.contains(one.getKey()) ? "" : ", optional";
      String meaning = one.getValue().path("description").asText("");
      parameters.add(
          "%s (%s%s)%s"
              .formatted(
                  one.getKey(),
                  type(one.getValue()),
                  optional,
                  meaning.isEmpty() ? "" : ": " + meaning));
    }
    return JsonPreview.cut(String.join("; ", parameters), MOST_CHARS);
  }

  private static String type(JsonNode schema) {
    if (schema.path("enum").isArray()) {
      return "one of " + String.join(", ", texts(schema.path("enum")));
    }
    String type = schema.path("type").asText("");
    if (type.equals("array")) {
      return "list of " + type(schema.path("items"));
    }
    return type.isEmpty() ? "value" : type;
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false)
        .map(JsonNode::asText)
        .collect(Collectors.toList());
  }
}
