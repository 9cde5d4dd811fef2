package dev.colony.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.RequestBody.RunRequestBody;
import dev.colony.client.wire.RequestBody.RunRequestBody.Caller;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The schemas of what the API sends and takes, read off the records: their components' names and
 * types, and which are always there. Every record that one of them mentions has a schema of its
 * own.
 */
final class RecordSchemas {

  /** Values whose JSON is written by hand; their schemas are, too. */
  private static final Set<Class<?>> BY_HAND =
      Set.of(
          AgentBlueprint.class,
          Blueprint.class,
          BlueprintChange.class,
          ResumptionCondition.class,
          EventBatch.class);

  /** Bodies that are read strictly, beside the cases of {@link RequestBody}. */
  private static final Set<Class<?>> STRICT = Set.of(RunRequestBody.class, Caller.class);

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final Map<String, JsonNode> schemas = new TreeMap<>();
  private final Deque<Class<?>> open = new ArrayDeque<>();

  RecordSchemas(Collection<Class<?>> roots) {
    roots.forEach(this::reference);
    while (!open.isEmpty()) {
      Class<?> type = open.remove();
      schemas.put(name(type), schema(type));
    }
  }

  /** By their names. */
  Map<String, JsonNode> all() {
    return schemas;
  }

  /** What the document calls a type. */
  static String name(Class<?> type) {
    Class<?> around = type.getEnclosingClass();
    if (RequestBody.class.isAssignableFrom(type)) {
      return type.getSimpleName() + "Request";
    }
    return around != null && around.isSealed() && around.isAssignableFrom(type)
        ? around.getSimpleName() + type.getSimpleName()
        : type.getSimpleName();
  }

  private ObjectNode reference(Class<?> type) {
    String name = name(type);
    if (!BY_HAND.contains(type) && !schemas.containsKey(name)) {
      schemas.put(name, NODES.nullNode());
      open.add(type);
    }
    return NODES.objectNode().put("$ref", "#/components/schemas/" + name);
  }

  private ObjectNode schema(Class<?> type) {
    if (type.isEnum()) {
      return constants(type);
    }
    if (type.isSealed()) {
      ObjectNode schema = NODES.objectNode();
      ArrayNode variants = schema.putArray("oneOf");
      ObjectNode discriminator = schema.putObject("discriminator");
      discriminator.put("propertyName", info(type).orElseThrow().property());
      ObjectNode mapping = discriminator.putObject("mapping");
      variants(type)
          .forEach(variant -> {
            ObjectNode reference = reference(variant);
            variants.add(reference);
            mapping.set(variant.getAnnotation(JsonTypeName.class).value(), reference.get("$ref"));
          });
      return schema;
    }
    ObjectNode schema = NODES.objectNode().put("type", "object");
    ArrayNode all = NODES.arrayNode();
    ArrayNode required = NODES.arrayNode();
    ObjectNode properties = NODES.objectNode();
    info(type)
        .ifPresent(info -> {
          required.add(info.property());
          properties.set(
              info.property(),
              NODES.objectNode().put("const", type.getAnnotation(JsonTypeName.class).value()));
        });
    for (RecordComponent component : type.getRecordComponents()) {
      if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        all.add(reference(component.getType()));
        continue;
      }
      properties.set(component.getName(), property(component.getGenericType()));
      if (always(type, component)) {
        required.add(component.getName());
      }
    }
    for (Method method : type.getDeclaredMethods()) {
      if (method.isAnnotationPresent(JsonProperty.class)) {
        properties.set(method.getName(), property(method.getGenericReturnType()));
        required.add(method.getName());
      }
    }
    if (!required.isEmpty()) {
      schema.set("required", required);
    }
    schema.set("properties", properties);
    if (STRICT.contains(type) || type.getEnclosingClass() == RequestBody.class) {
      schema.put("additionalProperties", false);
    }
    if (all.isEmpty()) {
      return schema;
    }
    all.add(schema);
    return NODES.objectNode().set("allOf", all);
  }

  /** A variant of a variant is one of the whole. */
  private static java.util.stream.Stream<Class<?>> variants(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(RecordSchemas::variants)
        : java.util.stream.Stream.of(type);
  }

  private static Optional<JsonTypeInfo> info(Class<?> type) {
    for (Class<?> one = type;
        one != null;
        one = one.getInterfaces().length == 0 ? null : one.getInterfaces()[0]) {
      JsonTypeInfo info = one.getAnnotation(JsonTypeInfo.class);
      if (info != null) {
        return Optional.of(info);
      }
    }
    return Optional.empty();
  }

  /** Whether a component is never left out, by what its record says of what is empty. */
  private static boolean always(Class<?> type, RecordComponent component) {
    if (component.getType() == Optional.class) {
      return false;
    }
    JsonInclude own = component.getAccessor().getAnnotation(JsonInclude.class);
    JsonInclude all = type.getAnnotation(JsonInclude.class);
    JsonInclude.Include include =
        own != null ? own.value() : all != null ? all.value() : JsonInclude.Include.NON_ABSENT;
    return switch (include) {
      case ALWAYS, NON_ABSENT, NON_NULL, USE_DEFAULTS -> true;
      case NON_DEFAULT -> false;
      case NON_EMPTY ->
          component.getType() != String.class
              && !Collection.class.isAssignableFrom(component.getType())
              && !Map.class.isAssignableFrom(component.getType());
      case CUSTOM -> throw new IllegalArgumentException(component + " has a filter of its own");
    };
  }

  private ObjectNode property(Type type) {
    if (type instanceof ParameterizedType generic) {
      Type[] of = generic.getActualTypeArguments();
      Class<?> raw = (Class<?>) generic.getRawType();
      if (raw == Optional.class) {
        return property(of[0]);
      }
      if (Collection.class.isAssignableFrom(raw)) {
        return NODES.objectNode().put("type", "array").set("items", property(of[0]));
      }
      if (Map.class.isAssignableFrom(raw)) {
        return NODES
            .objectNode()
            .put("type", "object")
            .set("additionalProperties", property(of[1]));
      }
      throw new IllegalArgumentException("no schema for " + type);
    }
    Class<?> plain = (Class<?>) type;
    ObjectNode schema = NODES.objectNode();
    if (JsonNode.class == plain) {
      return schema;
    }
    if (ObjectNode.class == plain) {
      return schema.put("type", "object");
    }
    if (plain == Instant.class) {
      return schema.put("type", "string").put("format", "date-time");
    }
    if (Set.of(String.class, BigDecimal.class, URI.class, Scope.class, Position.class)
            .contains(plain)
        || text(plain)) {
      return schema.put("type", "string");
    }
    if (Set.of(int.class, long.class, Integer.class, Long.class).contains(plain)) {
      return schema.put("type", "integer");
    }
    if (plain == double.class) {
      return schema.put("type", "number");
    }
    if (Set.of(boolean.class, Boolean.class).contains(plain)) {
      return schema.put("type", "boolean");
    }
    if (plain.isEnum() && plain != AgentState.class) {
      return constants(plain);
    }
    if (plain.isEnum() || plain.isRecord() || plain.isSealed()) {
      return reference(plain);
    }
    throw new IllegalArgumentException("no schema for " + type);
  }

  private static ObjectNode constants(Class<?> type) {
    ObjectNode schema = NODES.objectNode().put("type", "string");
    ArrayNode names = schema.putArray("enum");
    Arrays.stream(type.getEnumConstants()).forEach(one -> names.add(((Enum<?>) one).name()));
    return schema;
  }

  /** Whether a value is one text in JSON. */
  private static boolean text(Class<?> type) {
    return type.isRecord()
        && Arrays.stream(type.getDeclaredMethods())
            .anyMatch(method ->
                method.isAnnotationPresent(JsonValue.class)
                    && method.getReturnType() == String.class);
  }
}
