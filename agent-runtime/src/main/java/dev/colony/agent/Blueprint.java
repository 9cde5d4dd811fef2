package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A policy or a capability as it travels: the name of a registered type and its arguments.
 *
 * @param type a name registered by a {@link TypeProvider}, for example {@code review.compliance};
 *     never a class name
 * @param args what the type's factory is given; at most {@value #MAX_BYTES} bytes as JSON text
 */
public record Blueprint(String type, JsonNode args) {

  /** A blueprint stands in messages between nodes; larger arguments belong on the blackboard. */
  public static final int MAX_BYTES = 64 * 1024;

  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  public Blueprint {
    Objects.requireNonNull(args, "args");
    if (type == null || !TYPE.matcher(type).matches()) {
      throw new IllegalArgumentException(
          "a blueprint's type is 1 to 128 characters of A-Z a-z 0-9 . _ -, not: " + type);
    }
    int size = args.toString().getBytes(StandardCharsets.UTF_8).length;
    if (size > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the arguments of "
              + type
              + " are "
              + size
              + " bytes, more than "
              + MAX_BYTES
              + ": keep them on the blackboard and name them");
    }
  }

  /** A blueprint without arguments. */
  public static Blueprint of(String type) {
    return new Blueprint(type, JsonNodeFactory.instance.objectNode());
  }

  ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("type", type);
    json.set("args", args);
    return json;
  }

  static Blueprint fromJson(JsonNode json) {
    return new Blueprint(json.path("type").asText(), json.path("args"));
  }
}
