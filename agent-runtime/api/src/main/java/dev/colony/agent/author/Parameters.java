package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.colony.agent.author.SchemaInference.Described;
import java.lang.reflect.Executable;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A method's parameters as one JSON object: a property for each, named after it or as {@link Param}
 * says, required unless it is optional. Parameters of the given types are filled by the caller and
 * are no part of it. Immutable and thread-safe; make it once per method.
 */
public final class Parameters {

  /**
   * @param name empty for one that is given
   */
  private record Slot(Parameter parameter, Optional<String> name) {

    boolean optional() {
      return SchemaInference.optional(parameter.getType());
    }

    /** What it is where the caller leaves it out; missing where nothing is declared. */
    JsonNode absent() {
      Param param = parameter.getAnnotation(Param.class);
      return param == null || param.defaultValue().isEmpty()
          ? MissingNode.getInstance()
          : Described.given(parameter, param.defaultValue(), TypeFactory.rawClass(type()));
    }

    /** Of the value, without what makes it optional. */
    Type type() {
      return SchemaInference.present(parameter.getParameterizedType());
    }
  }

  /** The record whose components are the parameters; empty where each parameter is a property. */
  private final Optional<Type> whole;

  private final List<Slot> slots;
  private final JsonNode schema;
  private final JsonSchemaCheck check;

  private Parameters(Optional<Type> whole, List<Slot> slots, JsonNode schema) {
    this.whole = whole;
    this.slots = slots;
    this.schema = schema;
    this.check = JsonSchemaCheck.of(schema);
  }

  /**
   * Those of a method.
   *
   * @param given types of parameters that the caller fills
   * @throws IllegalArgumentException on one line, if one cannot be read from JSON, two have one
   *     name, or the method was compiled without its parameters' names
   */
  public static Parameters of(Executable method, Set<Class<?>> given) {
    String what = method.getDeclaringClass().getSimpleName() + "." + method.getName();
    List<Slot> slots = new ArrayList<>();
    for (Parameter parameter : method.getParameters()) {
      slots.add(
          new Slot(
              parameter,
              given.contains(parameter.getType())
                  ? Optional.empty()
                  : Optional.of(name(what, parameter))));
    }
    return new Parameters(
        Optional.empty(),
        List.copyOf(slots),
        JsonSchemas.bounded(what, () -> inferred(what, slots)));
  }

  /**
   * Those of a method of a plain object: where the caller fills all but one parameter and that one
   * is a record, its components are the properties of the JSON object, whether the method was
   * compiled with the names of its parameters or not; else as {@link #of}.
   */
  public static Parameters ofTool(Executable method, Set<Class<?>> given) {
    List<Parameter> read =
        Arrays.stream(method.getParameters())
            .filter(one -> !given.contains(one.getType()))
            .toList();
    if (read.size() != 1 || !read.getFirst().getType().isRecord()) {
      return of(method, given);
    }
    Parameter record = read.getFirst();
    List<Slot> slots =
        Arrays.stream(method.getParameters())
            .map(one -> new Slot(one, one == record ? Optional.of("") : Optional.empty()))
            .toList();
    Type type = record.getParameterizedType();
    return new Parameters(Optional.of(type), slots, JsonSchemas.input(type));
  }

  /**
   * The same parameters, held against a schema of one's own in place of the inferred one. They are
   * still read by their Java types.
   *
   * @throws IllegalArgumentException on one line, if it is no JSON schema
   */
  public Parameters against(JsonNode declared) {
    return new Parameters(whole, slots, declared);
  }

  /** The JSON schema, an object. Shared: copy it before changing it. */
  public JsonNode schema() {
    return schema;
  }

  /**
   * What is wrong with parameters, one line each; empty if they can be read. They are held against
   * the schema, and if they satisfy it, read: what a record's own constructor refuses is told too.
   */
  public List<String> violations(JsonNode params) {
    List<String> wrong = check.violations(params);
    if (!wrong.isEmpty()) {
      return wrong;
    }
    return slots.stream()
        .flatMap(slot -> slot.name().stream().flatMap(name -> unreadable(slot, name, params)))
        .toList();
  }

  private Stream<String> unreadable(Slot slot, String name, JsonNode params) {
    try {
      read(slot, name, params);
      return Stream.empty();
    } catch (IllegalArgumentException refused) {
      return Stream.of(refused.getMessage());
    }
  }

  /**
   * The arguments to call the method with, in its order.
   *
   * @param given the value of a parameter of a given type
   * @throws IllegalArgumentException on one line, if there are violations
   */
  public Object[] read(JsonNode params, Function<Class<?>, Object> given) {
    List<String> wrong = check.violations(params);
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", wrong));
    }
    return slots.stream()
        .map(slot ->
            slot.name()
                .map(name -> read(slot, name, params))
                .orElseGet(() -> given.apply(slot.parameter().getType())))
        .toArray();
  }

  private Object read(Slot slot, String name, JsonNode params) {
    if (whole.isPresent()) {
      return JsonValues.read(params, whole.get());
    }
    JsonNode value = params.has(name) ? params.get(name) : slot.absent();
    if (slot.optional() && (value.isMissingNode() || value.isNull())) {
      return none(slot.parameter().getType());
    }
    try {
      return JsonValues.read(value, slot.parameter().getParameterizedType());
    } catch (IllegalArgumentException refused) {
      throw new IllegalArgumentException(name + ": " + refused.getMessage(), refused);
    }
  }

  private static Object none(Class<?> optional) {
    if (optional == OptionalInt.class) {
      return OptionalInt.empty();
    }
    if (optional == OptionalLong.class) {
      return OptionalLong.empty();
    }
    return optional == OptionalDouble.class ? OptionalDouble.empty() : Optional.empty();
  }

  private static String name(String method, Parameter parameter) {
    Param param = parameter.getAnnotation(Param.class);
    if (param != null && !param.name().isEmpty()) {
      return param.name();
    }
    if (!parameter.isNamePresent()) {
      throw new IllegalArgumentException(
          method
              + " was compiled without parameter names: compile with -parameters, or name them"
              + " with @Param(name = \"...\"); a method of a plain object may take one record");
    }
    return parameter.getName();
  }

  private static ObjectNode inferred(String method, List<Slot> slots) {
    Map<String, Slot> named = new LinkedHashMap<>();
    for (Slot slot : slots) {
      slot.name()
          .map(name -> named.put(name, slot))
          .ifPresent(twice -> {
            throw new IllegalArgumentException(
                "two parameters of " + method + " are named " + twice.name().orElseThrow());
          });
    }
    Map<String, ObjectNode> schemas =
        SchemaInference.READ.ofAll(
            named.entrySet().stream()
                .collect(
                    Collectors.toMap(
                        Map.Entry::getKey,
                        one -> one.getValue().type(),
                        (a, b) -> a,
                        LinkedHashMap::new)));
    ObjectNode object = JsonNodeFactory.instance.objectNode().put("type", "object");
    ObjectNode properties = object.putObject("properties");
    named.forEach((name, slot) -> {
      ObjectNode schema = schemas.get(name);
      Described.add(schema, slot.parameter(), TypeFactory.rawClass(slot.type()));
      properties.set(name, slot.optional() ? Described.nullable(schema) : schema);
    });
    List<String> required =
        named.entrySet().stream()
            .filter(one -> !one.getValue().optional())
            .map(Map.Entry::getKey)
            .toList();
    if (!required.isEmpty()) {
      required.forEach(object.putArray("required")::add);
    }
    object.put("additionalProperties", false);
    if (!schemas.get("$defs").isEmpty()) {
      object.set("$defs", schemas.get("$defs"));
    }
    return object;
  }
}
