package dev.colony.core.registry;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.JsonSchemaCheck.Violation;
import dev.colony.agent.author.JsonValues;
import dev.colony.core.registry.FileProblems.CloseName;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads what names a registered type: a policy, a capability, a filter or a formatter, with its
 * arguments and the blueprints in them. Arguments that are left out are as the constant {@code
 * DEFAULT} of their record has them, if it has one; the version, as it is registered here.
 */
final class TypedPartReader {

  private static final Set<String> FIELDS = Set.of("type", "version", "args");
  private static final String USUAL = "DEFAULT";

  private final AgentTypes types;
  private final FileProblems problems;
  private final BlueprintFileReader agents;

  /**
   * @param agents reads the agents, capabilities and streams that stand in arguments
   */
  TypedPartReader(AgentTypes types, FileProblems problems, BlueprintFileReader agents) {
    this.types = types;
    this.problems = problems;
    this.agents = agents;
  }

  /**
   * Where a part stands.
   *
   * @param at the part itself
   * @param around what holds it and the arguments that stand beside it
   * @param beside those arguments
   */
  record Spot(JsonPointer at, JsonPointer around, ObjectNode beside) {

    /** Of a part with nothing beside it. */
    static Spot of(JsonPointer at) {
      return new Spot(at, at, object());
    }

    JsonPointer args() {
      return at.appendProperty("args");
    }

    /** Where an argument stands. */
    JsonPointer of(JsonPointer inArgs, String first) {
      return beside.has(first) ? around.append(inArgs) : args().append(inArgs);
    }
  }

  /**
   * Reads a part.
   *
   * @param what calls it by the word that people know
   * @return as it is stored, as far as it can be read
   */
  JsonNode read(Class<?> kind, String what, JsonNode json, Spot spot) {
    int before = problems.count();
    boolean name = json.isTextual();
    if (!name && !json.path("type").isTextual()) {
      problems.wrong(
          spot.at(),
          "a %s is the name of a type, or an object with \"type\" and \"args\"; types: %s"
              .formatted(what, types.names(kind)));
      return json;
    }
    String wanted = name ? json.textValue() : json.get("type").textValue();
    JsonPointer named = name ? spot.at() : spot.at().appendProperty("type");
    Optional<RegisteredType> found = type(kind, what, wanted, named);
    ObjectNode stored = object().put("type", found.map(RegisteredType::name).orElse(wanted));
    // Of a capability there are more fields, which are looked at where it is read.
    if (kind != AgentCapability.class) {
      unknownFields(what, json, spot.at());
    }
    found.ifPresent(type -> stored.put("version", type.version()));
    if (json.has("version")) {
      stored.set("version", json.get("version"));
      problems.attempt(
          spot.at().appendProperty("version"), () -> Blueprint.fromJson(stored.deepCopy()));
    }
    found.ifPresent(type -> {
      JsonNode given = json.has("args") ? json.get("args") : object();
      JsonNode args = type.args().map(record -> nested(record, given, spot.args())).orElse(given);
      stored.set("args", joined(args, spot));
      check(kind, type, stored, spot, before);
    });
    return stored;
  }

  private void unknownFields(String what, JsonNode json, JsonPointer at) {
    for (var field : json.properties()) {
      if (!FIELDS.contains(field.getKey())) {
        problems.unknown(
            at.appendProperty(field.getKey()),
            "a " + what + " has no field ",
            field.getKey(),
            new TreeSet<>(FIELDS));
      }
    }
  }

  private Optional<RegisteredType> type(Class<?> kind, String what, String wanted, JsonPointer at) {
    List<RegisteredType> fitting = types.meant(kind, wanted);
    if (fitting.size() == 1) {
      return Optional.of(fitting.getFirst());
    }
    String shown = FileProblems.shown(wanted);
    if (fitting.isEmpty()) {
      List<String> known = types.names(kind);
      boolean other = types.names(Object.class).contains(wanted);
      String no = other ? "the type %2$s is no %1$s" : "no %s %s is registered";
      problems.wrong(
          at,
          no.formatted(what, shown)
              + FileProblems.separated(CloseName.of(wanted, known), "there are " + known));
    } else {
      problems.wrong(
          at,
          "%s may be each of %s: give the whole name"
              .formatted(shown, fitting.stream().map(RegisteredType::name).toList()));
    }
    return Optional.empty();
  }

  /** Arguments with those that stand beside the part; none may stand twice. */
  private JsonNode joined(JsonNode args, Spot spot) {
    if (!(args instanceof ObjectNode given) || spot.beside().isEmpty()) {
      return args;
    }
    ObjectNode all = given.deepCopy();
    for (var one : spot.beside().properties()) {
      if (given.has(one.getKey())) {
        problems.wrongName(
            spot.args().appendProperty(one.getKey()),
            "%s stands beside the policy, too: leave out one of them".formatted(one.getKey()));
      }
      all.set(one.getKey(), one.getValue());
    }
    return all;
  }

  /**
   * Holds the arguments against their schema and, where nothing else is wrong, against all that the
   * type says.
   *
   * @param before how many problems there were before this part was looked at
   */
  private void check(Class<?> kind, RegisteredType type, ObjectNode stored, Spot spot, int before) {
    Blueprint blueprint;
    List<Violation> violations;
    try {
      blueprint = Blueprint.fromJson(stored);
      violations = type.violations(blueprint);
    } catch (IllegalArgumentException refused) {
      if (problems.count() == before) {
        problems.wrong(spot.args(), refused.getMessage());
      }
      return;
    }
    violations.forEach(one -> refuse(type, one, spot));
    if (problems.count() == before) {
      problems.attempt(
          spot.args(),
          () -> {
            types.check(kind, blueprint);
            // As a program would have bound them, so that one agent can be spawned from both.
            type.read(blueprint).ifPresent(args -> stored.set("args", JsonValues.toJson(args)));
            stored.put("version", type.version());
          });
    }
  }

  private void refuse(RegisteredType type, Violation violation, Spot spot) {
    String field = violation.field().orElse("");
    JsonPointer where =
        field.isEmpty() ? violation.where() : violation.where().appendProperty(field);
    String first = where.matches() ? "" : where.getMatchingProperty();
    if (violation.where().matches() && spot.beside().has(field)) {
      problems.wrongName(
          spot.of(where, first), type.name() + " takes no " + field + type.hint(field));
      return;
    }
    String hint = violation.where().matches() ? type.hint(field) : "";
    String why =
        "the arguments of %s do not fit: %s%s".formatted(type.name(), violation.why(), hint);
    if (field.isEmpty()) {
      problems.wrong(spot.of(where, first), why);
    } else {
      problems.wrongName(spot.of(where, first), why);
    }
  }

  /**
   * Arguments with the blueprints in them as they are stored; those are found by the Java types.
   */
  private JsonNode nested(Type type, JsonNode json, JsonPointer at) {
    if (json.isMissingNode() || json.isNull()) {
      return json;
    }
    return switch (type) {
      case Class<?> raw when raw == AgentBlueprint.class -> agents.agent(json, at);
      case Class<?> raw when raw == CapabilityBlueprint.class -> agents.capability(json, at);
      case Class<?> raw when raw == StreamBlueprint.class -> agents.stream(json, at);
      case Class<?> raw when raw == Blueprint.class ->
          read(Object.class, "blueprint", json, Spot.of(at));
      case Class<?> raw when raw.isArray() -> elements(raw.getComponentType(), json, at);
      case Class<?> raw when raw.isRecord() -> components(raw, json, at);
      case GenericArrayType array -> elements(array.getGenericComponentType(), json, at);
      case ParameterizedType generic when generic.getRawType() == Optional.class ->
          nested(generic.getActualTypeArguments()[0], json, at);
      case ParameterizedType generic
          when Collection.class.isAssignableFrom((Class<?>) generic.getRawType()) ->
          elements(generic.getActualTypeArguments()[0], json, at);
      case ParameterizedType generic
          when Map.class.isAssignableFrom((Class<?>) generic.getRawType()) ->
          values(generic.getActualTypeArguments()[1], json, at);
      default -> json;
    };
  }

  private JsonNode elements(Type type, JsonNode json, JsonPointer at) {
    return json.isArray() ? agents.list(json, at, (one, place) -> nested(type, one, place)) : json;
  }

  private JsonNode values(Type type, JsonNode json, JsonPointer at) {
    if (!json.isObject()) {
      return json;
    }
    ObjectNode stored = object();
    json.properties()
        .forEach(one ->
            stored.set(
                one.getKey(), nested(type, one.getValue(), at.appendProperty(one.getKey()))));
    return stored;
  }

  private JsonNode components(Class<?> record, JsonNode json, JsonPointer at) {
    if (!json.isObject()) {
      return json;
    }
    ObjectNode stored = usual(record);
    stored.setAll((ObjectNode) json);
    for (RecordComponent component : record.getRecordComponents()) {
      String name = component.getName();
      if (json.has(name)) {
        stored.set(
            name, nested(component.getGenericType(), json.get(name), at.appendProperty(name)));
      }
    }
    return stored;
  }

  /** What stands where an argument is left out. */
  private static ObjectNode usual(Class<?> record) {
    for (Field field : record.getDeclaredFields()) {
      if (field.getName().equals(USUAL)
          && field.getType() == record
          && Modifier.isStatic(field.getModifiers())) {
        try {
          field.setAccessible(true);
          return JsonValues.toJson(field.get(null)) instanceof ObjectNode json ? json : object();
        } catch (IllegalAccessException closed) {
          throw new IllegalStateException(field + " cannot be read", closed);
        }
      }
    }
    return object();
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
