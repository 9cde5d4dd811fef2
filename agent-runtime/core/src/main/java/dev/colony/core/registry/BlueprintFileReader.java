package dev.colony.core.registry;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.LocatedJson;
import dev.colony.agent.stream.ConsciousnessStream.ConsciousnessStreamFormatter;
import dev.colony.agent.stream.ConsciousnessStream.StreamFilter;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads one file. Each part is brought to the form that blueprints are stored in, and is given to
 * the check that it would meet there by itself, so that what is refused has the place of that part
 * and the rest is looked at all the same.
 */
final class BlueprintFileReader {

  /** Arguments of the policy that may stand beside it. */
  private static final List<String> OF_POLICY = List.of("role", "goals", "constraints");

  /** Those of which there may be several. */
  private static final Set<String> LISTS = Set.of("goals", "constraints");

  private static final Set<String> FIELDS =
      Set.of("kind", "policy", "capabilities", "streams", "pages", "budget", "resources", "model");

  private static final JsonPointer ROOT = JsonPointer.empty();

  /** Of a part that is looked at before its type is. */
  private static final String ANY_TYPE = "any";

  /** Of an agent that is looked at before its pages are. */
  private static final String ANY_PAGES = "a".repeat(26);

  private final JsonNode json;
  private final AgentTypes types;
  private final FileProblems problems;
  private final TypedPartReader parts;

  BlueprintFileReader(LocatedJson source, AgentTypes types) {
    this.json = source.json();
    this.types = types;
    this.problems = new FileProblems(source);
    this.parts = new TypedPartReader(types, problems, this);
  }

  BlueprintFile.Reading read() {
    Optional<String> name = Optional.empty();
    if (json.has("name")) {
      JsonPointer at = ROOT.appendProperty("name");
      if (json.get("name").isTextual()) {
        name = Optional.of(json.get("name").textValue());
        problems.attempt(at, () -> BlueprintFile.checkName(json.get("name").textValue()));
      } else {
        problems.wrong(
            at, "the name of an agent is text, not: " + FileProblems.shown(json.get("name")));
      }
    }
    JsonNode stored = agent(json, ROOT);
    Optional<String> named = name;
    return orRefused(() -> read(named, stored));
  }

  /** A blueprint as programs send it. */
  BlueprintFile.Reading blueprint() {
    JsonNode stored = agent(json, ROOT);
    typesAreObjects(json, ROOT);
    return orRefused(() -> {
      // What is ease for people is not of the form that is stored.
      AgentBlueprint.fromJson(json);
      return read(Optional.empty(), stored);
    });
  }

  BlueprintFile.ChangeReading change() {
    ObjectNode stored = object();
    for (var field : json.properties()) {
      JsonPointer place = ROOT.appendProperty(field.getKey());
      JsonNode value = field.getValue();
      stored.set(
          field.getKey(),
          switch (field.getKey()) {
            case "blueprint" -> agent(value, place);
            case "added" -> list(value, place, this::capability);
            default -> value;
          });
    }
    typesAreObjects(json.path("blueprint"), ROOT.appendProperty("blueprint"));
    Optional<BlueprintChange> change =
        end(() -> {
          BlueprintChange.fromJson(json);
          return BlueprintChange.fromJson(stored);
        });
    return change.isPresent() ? new BlueprintFile.Changed(change.get()) : refused();
  }

  /** In what is stored, just a name is no type. */
  private void typesAreObjects(JsonNode agent, JsonPointer at) {
    if (agent.path("policy").isTextual()) {
      problems.wrong(
          at.appendProperty("policy"),
          "a blueprint is a JSON object as in {\"type\": \"colony.minimal\"}, not: "
              + FileProblems.shown(agent.get("policy")));
    }
  }

  private BlueprintFile.Read read(Optional<String> name, JsonNode stored) {
    AgentBlueprint blueprint = AgentBlueprint.fromJson(stored);
    types.check(blueprint);
    return new BlueprintFile.Read(new BlueprintFile(name, blueprint));
  }

  /** What it comes to where nothing is wrong; empty where something is. */
  private <T> Optional<T> end(Supplier<T> whole) {
    if (problems.count() == 0) {
      try {
        return Optional.of(whole.get());
      } catch (IllegalArgumentException | AgentException refused) {
        problems.wrong(ROOT, refused.getMessage());
      }
    }
    return Optional.empty();
  }

  private BlueprintFile.Reading orRefused(Supplier<BlueprintFile.Read> whole) {
    Optional<BlueprintFile.Read> read = end(whole);
    return read.isPresent() ? read.get() : refused();
  }

  private BlueprintFile.Refused refused() {
    return new BlueprintFile.Refused(problems.found());
  }

  JsonNode agent(JsonNode json, JsonPointer at) {
    if (!json.isObject()) {
      problems.wrong(at, "an agent's blueprint is a JSON object, not: " + FileProblems.shown(json));
      return json;
    }
    TreeSet<String> known = new TreeSet<>(FIELDS);
    known.addAll(OF_POLICY);
    if (at.equals(ROOT)) {
      known.add("name");
    }
    ObjectNode stored = object();
    for (var field : json.properties()) {
      JsonPointer place = at.appendProperty(field.getKey());
      JsonNode value = field.getValue();
      switch (field.getKey()) {
        case "policy" -> stored.set("policy", policy(json, at));
        case "capabilities" -> stored.set("capabilities", list(value, place, this::capability));
        case "streams" -> stored.set("streams", list(value, place, this::stream));
        case "budget", "resources" -> {
          stored.set(field.getKey(), value);
          each(value, place, one -> probe(object().set(field.getKey(), one)));
        }
        case "kind" -> {
          stored.set("kind", value);
          ObjectNode kind = object();
          kind.set("kind", value);
          problems.attempt(
              place, () -> probe(json.has("pages") ? kind.put("pages", ANY_PAGES) : kind));
        }
        case "pages", "model" -> {
          stored.set(field.getKey(), value);
          problems.attempt(place, () -> probe(object().set(field.getKey(), value)));
        }
        default -> {
          if (!known.contains(field.getKey())) {
            problems.unknown(place, "an agent's blueprint has no field ", field.getKey(), known);
          }
        }
      }
    }
    if (!json.has("policy")) {
      problems.wrong(
          at,
          "an agent needs a policy, for example \"policy\": \"minimal\"; there are "
              + types.names(ActionPolicy.class));
    }
    return stored;
  }

  /** Gives parts of an agent's blueprint to the check that all of it would meet. */
  private static void probe(JsonNode parts) {
    ObjectNode whole = object();
    whole.putObject("policy").put("type", ANY_TYPE);
    whole.setAll((ObjectNode) parts);
    AgentBlueprint.fromJson(whole);
  }

  /** Each field of an object by itself. */
  private void each(JsonNode value, JsonPointer at, Consumer<JsonNode> check) {
    if (!value.isObject() || value.isEmpty()) {
      problems.attempt(at, () -> check.accept(value));
    }
    for (var field : value.properties()) {
      problems.attempt(
          at.appendProperty(field.getKey()),
          () -> check.accept(object().set(field.getKey(), field.getValue())));
    }
  }

  private JsonNode policy(JsonNode agent, JsonPointer at) {
    ObjectNode beside = object();
    for (String name : OF_POLICY) {
      if (agent.has(name)) {
        JsonNode value = agent.get(name);
        beside.set(name, LISTS.contains(name) && value.isTextual() ? array().add(value) : value);
      }
    }
    return parts.read(
        ActionPolicy.class,
        "policy",
        agent.get("policy"),
        new TypedPartReader.Spot(at.appendProperty("policy"), at, beside));
  }

  JsonNode capability(JsonNode json, JsonPointer at) {
    JsonNode what =
        parts.read(AgentCapability.class, "capability", json, TypedPartReader.Spot.of(at));
    if (!(what instanceof ObjectNode stored)) {
      return what;
    }
    for (var field : json.properties()) {
      if (!Set.of("type", "version", "args").contains(field.getKey())) {
        stored.set(field.getKey(), field.getValue());
        problems.attempt(
            at.appendProperty(field.getKey()),
            () ->
                CapabilityBlueprint.fromJson(
                    object().put("type", ANY_TYPE).set(field.getKey(), field.getValue())));
      }
    }
    String type = stored.path("type").asText();
    if (!json.has("namespace") && !json.has("scope")) {
      types.namespace(type).ifPresent(usual -> stored.put("namespace", usual));
    }
    problems.attempt(
        at.appendProperty("namespace"),
        () -> types.checkPlace(type, Optional.ofNullable(stored.path("namespace").textValue())));
    for (String named : List.of("includeActions", "excludeActions", "approveActions")) {
      actions(named, stored, at.appendProperty(named));
    }
    return stored;
  }

  /** Each action that is named is one that the capability has. */
  private void actions(String named, ObjectNode capability, JsonPointer at) {
    if (!capability.path(named).isArray() || !capability.has("type")) {
      return;
    }
    for (int i = 0; i < capability.get(named).size(); i++) {
      ObjectNode one = object().put("type", capability.get("type").asText());
      one.setAll(capability.deepCopy().retain("key"));
      one.putArray(named).add(capability.get(named).get(i));
      problems.attempt(
          at.appendIndex(i),
          () -> {
            CapabilityBlueprint only = CapabilityBlueprint.fromJson(one);
            new OfferedActions().add(only, types.capability(only.what()));
          });
    }
  }

  JsonNode stream(JsonNode json, JsonPointer at) {
    if (!json.isObject()) {
      problems.wrong(at, "a stream's blueprint is a JSON object, not: " + FileProblems.shown(json));
      return json;
    }
    ObjectNode stored = object();
    for (var field : json.properties()) {
      JsonPointer place = at.appendProperty(field.getKey());
      JsonNode value = field.getValue();
      switch (field.getKey()) {
        case "formatter" -> stored.set("formatter", formatter(value, place));
        case "filters" -> stored.set("filters", filters(value, place));
        default -> {
          stored.set(field.getKey(), value);
          problems.attempt(place, () -> probeStream(field.getKey(), value));
        }
      }
    }
    if (!json.has("name") || !json.has("formatter")) {
      problems.wrong(
          at, "a stream needs a name and a formatter, for example \"formatter\": \"conversation\"");
    }
    return stored;
  }

  private static void probeStream(String field, JsonNode value) {
    ObjectNode one = object().put("name", "any");
    one.putObject("formatter").put("type", ANY_TYPE);
    one.set(field, value);
    StreamBlueprint.fromJson(one);
  }

  private JsonNode formatter(JsonNode json, JsonPointer at) {
    return parts.read(
        ConsciousnessStreamFormatter.class, "formatter", json, TypedPartReader.Spot.of(at));
  }

  private JsonNode filters(JsonNode json, JsonPointer at) {
    if (!json.isObject()) {
      problems.wrong(at, "the filters of a stream are an object, for example {\"event\": ...}");
      return json;
    }
    ObjectNode stored = object();
    for (var one : json.properties()) {
      JsonPointer place = at.appendProperty(one.getKey());
      stored.set(
          one.getKey(),
          parts.read(StreamFilter.class, "filter", one.getValue(), TypedPartReader.Spot.of(place)));
    }
    return stored;
  }

  /** Reads an element of a list. */
  interface Element {
    JsonNode read(JsonNode json, JsonPointer at);
  }

  JsonNode list(JsonNode json, JsonPointer at, Element element) {
    if (!json.isArray()) {
      problems.wrong(at, "this is a list, not: " + FileProblems.shown(json));
      return json;
    }
    ArrayNode stored = array();
    for (int i = 0; i < json.size(); i++) {
      stored.add(element.read(json.get(i), at.appendIndex(i)));
    }
    return stored;
  }

  private static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  private static ArrayNode array() {
    return JsonNodeFactory.instance.arrayNode();
  }
}
