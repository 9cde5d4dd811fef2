package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.blueprint.AgentTypes;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A policy, a capability, a filter or a formatter as it travels: the name of a registered type and
 * its arguments.
 *
 * @param type a name registered by a {@link dev.colony.agent.blueprint.TypeProvider}, for example
 *     {@code review.compliance}; never a class name
 * @param version of the arguments, at least 1
 * @param args what the type's factory is given; at most {@value #MAX_BYTES} bytes as JSON text
 */
public record Blueprint(String type, int version, JsonNode args) {

  /** A blueprint stands in messages between nodes; larger arguments belong on the blackboard. */
  public static final int MAX_BYTES = 64 * 1024;

  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  public Blueprint {
    Objects.requireNonNull(args, "args");
    if (type == null || !TYPE.matcher(type).matches()) {
      throw new IllegalArgumentException(
          "a blueprint's type is 1 to 128 characters of A-Z a-z 0-9 . _ -, not: " + type);
    }
    if (version < 1) {
      throw new IllegalArgumentException("the version of " + type + " is " + version + ", below 1");
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

  /** The first version of a type's arguments. */
  public Blueprint(String type, JsonNode args) {
    this(type, 1, args);
  }

  /** A blueprint without arguments. */
  public static Blueprint of(String type) {
    return new Blueprint(type, JsonNodeFactory.instance.objectNode());
  }

  /**
   * A blueprint of a type that is installed here, checked at once.
   *
   * @param args a record of the type's arguments
   * @throws IllegalArgumentException if the type is not registered, or the arguments are not its
   *     own, do not satisfy their schema or are too large
   */
  public static Blueprint bind(Class<?> type, Object args) {
    return AgentTypes.installed().bind(type, args);
  }

  /** The same for a type without arguments. */
  public static Blueprint bind(Class<?> type) {
    return AgentTypes.installed().bind(type);
  }

  /** The blueprint as it is stored; {@link #fromJson} reads it back. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("type", type);
    json.put("version", version);
    json.set("args", args);
    return json;
  }

  /**
   * Reads {@link #toJson} back; a version that is absent is 1.
   *
   * @throws IllegalArgumentException if it is not a blueprint
   */
  public static Blueprint fromJson(JsonNode json) {
    return new Blueprint(
        json.path("type").asText(), json.path("version").asInt(1), json.path("args"));
  }
}
