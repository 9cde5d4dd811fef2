package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.JsonFields.PlainJson;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A policy, a capability, a filter or a formatter as it travels: the name of a registered type and
 * its arguments. Equal blueprints are equal wherever they have been; the order of fields does not
 * count.
 *
 * @param type a name registered by a {@link dev.colony.agent.author.TypeProvider}, for example
 *     {@code review.compliance}, or the class name of plain objects that offer tools
 * @param version of the arguments, at least 1
 * @param args what the type's constructor is given, at most {@value #MAX_BYTES} bytes as JSON text.
 *     Shared: copy it before changing it
 */
public record Blueprint(String type, int version, JsonNode args) {

  /** A blueprint stands in messages between nodes; larger arguments belong on the blackboard. */
  public static final int MAX_BYTES = 64 * 1024;

  static final Set<String> FIELDS = Set.of("type", "version", "args");

  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  public Blueprint {
    Objects.requireNonNull(args, "args");
    if (type == null || !TYPE.matcher(type).matches()) {
      throw new IllegalArgumentException(
          "a blueprint's type is 1 to 128 characters of A-Z a-z 0-9 . _ -, not: "
              + (type == null ? "null" : JsonFields.shown(type)));
    }
    if (version < 1) {
      throw new IllegalArgumentException("the version of " + type + " is " + version + ", below 1");
    }
    args = PlainJson.of("the blueprint of " + type, args);
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

  public static Blueprint of(String type) {
    return new Blueprint(type, JsonNodeFactory.instance.objectNode());
  }

  /**
   * A blueprint of a type that is installed here, checked at once.
   *
   * @param args a record of the type's arguments
   * @throws IllegalArgumentException on one line, if the type is not registered, or the arguments
   *     are not its own, do not satisfy their schema, do not come back from JSON as they were, or
   *     are too large
   */
  public static Blueprint bind(Class<?> type, Object args) {
    return BlueprintBinder.installed().bind(type, args);
  }

  /** The same for a type without arguments, or whose arguments are all optional. */
  public static Blueprint bind(Class<?> type) {
    return BlueprintBinder.installed().bind(type);
  }

  /** The blueprint as it is stored; {@link #fromJson} reads it back. */
  @JsonValue
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("type", type);
    json.put("version", version);
    json.set("args", args);
    return json;
  }

  /**
   * Reads {@link #toJson} back; a version that is absent is 1, arguments that are absent are none.
   *
   * @throws IllegalArgumentException on one line, if it is not a blueprint
   */
  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public static Blueprint fromJson(JsonNode json) {
    return of(JsonFields.of("a blueprint", json, FIELDS));
  }

  static Blueprint of(JsonFields fields) {
    return new Blueprint(
        fields.text("type"),
        fields.integer("version").orElse(1),
        fields.value("args").orElseGet(JsonNodeFactory.instance::objectNode));
  }
}
