package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.value.CompiledSchema;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a policy's runs are given and give: the fields of the input, and those of the final result
 * of a run that succeeds. Fields that are not declared are let through. Declared by the policy's
 * author, enforced by {@link BaseActionPolicy}.
 *
 * <p>The input of a run that events started is these events, and is not held against the inputs.
 */
public record ActionPolicyIO(Map<String, Field> inputs, Map<String, Field> outputs) {

  /** Whatever comes and whatever results. */
  public static final ActionPolicyIO ANYTHING = new ActionPolicyIO(Map.of(), Map.of());

  /**
   * A field.
   *
   * @param schema JSON schema of its value; what is none is refused
   * @param required whether it must be there
   */
  public record Field(JsonNode schema, boolean required) {

    public Field {
      JsonSchemaProvider.installed().check(Objects.requireNonNull(schema, "schema"));
    }
  }

  public ActionPolicyIO {
    inputs = Collections.unmodifiableMap(new TreeMap<>(inputs));
    outputs = Collections.unmodifiableMap(new TreeMap<>(outputs));
  }

  public static Builder builder() {
    return new Builder();
  }

  /** What is wrong with a run's input, in one line that names the field; empty if nothing is. */
  public Optional<String> wrongInput(JsonNode input) {
    return wrong("input", inputs, input);
  }

  /** What is wrong with a final result, in one line that names the field; empty if nothing is. */
  public Optional<String> wrongOutput(JsonNode finalResult) {
    return wrong("output", outputs, finalResult);
  }

  /** The final result as one JSON schema, for a model that makes it; any value if none declared. */
  public ObjectNode resultSchema() {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    if (outputs.isEmpty()) {
      return schema;
    }
    schema.put("type", "object");
    ObjectNode properties = schema.putObject("properties");
    outputs.forEach((name, field) -> properties.set(name, below(name, field)));
    var required = schema.putArray("required");
    outputs.entrySet().stream()
        .filter(one -> one.getValue().required())
        .map(Map.Entry::getKey)
        .forEach(required::add);
    return schema;
  }

  /** The schema of a field where it stands among the properties of an object. */
  public static JsonNode below(String name, Field field) {
    String escaped = name.replace("~", "~0").replace("/", "~1");
    return CompiledSchema.below("/properties/" + escaped, field.schema().deepCopy());
  }

  private static Optional<String> wrong(String what, Map<String, Field> fields, JsonNode given) {
    if (fields.isEmpty()) {
      return Optional.empty();
    }
    if (!given.isObject()) {
      return Optional.of(what + " must be an object with the fields " + fields.keySet());
    }
    List<String> wrong = new ArrayList<>();
    fields.forEach((name, field) -> {
      JsonNode value = given.path(name);
      if (!value.isMissingNode()) {
        JsonSchemaProvider.installed()
            .violations(field.schema(), value)
            .forEach(line -> wrong.add(what + " " + name + ": " + line));
      } else if (field.required()) {
        wrong.add(what + " " + name + ": is missing");
      }
    });
    return wrong.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", wrong));
  }

  /** Collects fields; a name given twice is refused. */
  public static final class Builder {

    private final Map<String, Field> inputs = new TreeMap<>();
    private final Map<String, Field> outputs = new TreeMap<>();

    private Builder() {}

    /** A field that every input must have, of a Java type. */
    public Builder input(String name, Type type) {
      return input(name, JsonSchemaProvider.installed().input(type));
    }

    /** The same by its JSON schema. */
    public Builder input(String name, JsonNode schema) {
      return put(inputs, name, schema, true);
    }

    /** A field that an input may have. */
    public Builder optionalInput(String name, Type type) {
      return optionalInput(name, JsonSchemaProvider.installed().input(type));
    }

    /** The same by its JSON schema. */
    public Builder optionalInput(String name, JsonNode schema) {
      return put(inputs, name, schema, false);
    }

    /** A field that every final result must have, of a Java type. */
    public Builder output(String name, Type type) {
      return output(name, JsonSchemaProvider.installed().output(type));
    }

    /** The same by its JSON schema. */
    public Builder output(String name, JsonNode schema) {
      return put(outputs, name, schema, true);
    }

    /** A field that a final result may have. */
    public Builder optionalOutput(String name, Type type) {
      return optionalOutput(name, JsonSchemaProvider.installed().output(type));
    }

    /** The same by its JSON schema. */
    public Builder optionalOutput(String name, JsonNode schema) {
      return put(outputs, name, schema, false);
    }

    public ActionPolicyIO build() {
      return new ActionPolicyIO(inputs, outputs);
    }

    private Builder put(Map<String, Field> fields, String name, JsonNode schema, boolean required) {
      if (fields.putIfAbsent(name, new Field(schema, required)) != null) {
        throw new IllegalArgumentException("the field " + name + " is declared twice");
      }
      return this;
    }
  }
}
