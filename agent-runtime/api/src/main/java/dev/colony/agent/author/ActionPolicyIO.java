package dev.colony.agent.author;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.value.CompiledSchema;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
      JsonSchemaCheck.of(Objects.requireNonNull(schema, "schema"));
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
        JsonSchemaCheck.of(field.schema())
            .violations(value)
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
      return input(name, JsonSchemas.input(type));
    }

    /** The same by its JSON schema. */
    public Builder input(String name, JsonNode schema) {
      return put(inputs, name, schema, true);
    }

    /** A field that an input may have. */
    public Builder optionalInput(String name, Type type) {
      return optionalInput(name, JsonSchemas.input(type));
    }

    /** The same by its JSON schema. */
    public Builder optionalInput(String name, JsonNode schema) {
      return put(inputs, name, schema, false);
    }

    /** A field that every final result must have, of a Java type. */
    public Builder output(String name, Type type) {
      return output(name, JsonSchemas.output(type));
    }

    /** The same by its JSON schema. */
    public Builder output(String name, JsonNode schema) {
      return put(outputs, name, schema, true);
    }

    /** A field that a final result may have. */
    public Builder optionalOutput(String name, Type type) {
      return optionalOutput(name, JsonSchemas.output(type));
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

  /**
   * What a policy is given: of the run's input the fields {@code goals}, {@code constraints} and
   * {@code initialContext} and {@code resultSchema}, all of them optional, and whatever else its
   * {@link ActionPolicyIO} names. An input that is a text is the goal; a list, a number or a truth
   * value is the field {@code input}. What actions there are, the dispatcher says, since it changes
   * from iteration to iteration.
   *
   * @param goals what is to be reached, one each; the input may give a single text in place of a
   *     list
   * @param constraints what is to be kept to, one each; likewise
   * @param initialContext where to start from
   * @param fields the others, by name
   * @param resultSchema JSON schema of the final result, in place of what the policy declares
   */
  public record ActionPolicyInput(
      List<String> goals,
      List<String> constraints,
      ObjectNode initialContext,
      ObjectNode fields,
      Optional<JsonNode> resultSchema) {

    /** The field of {@link #resultSchema}. */
    public static final String RESULT_SCHEMA = "resultSchema";

    /** Of a run that events started: they are its input, see {@link EventBatch}. */
    public static final ActionPolicyInput NONE =
        new ActionPolicyInput(
            List.of(),
            List.of(),
            JsonNodeFactory.instance.objectNode(),
            JsonNodeFactory.instance.objectNode(),
            Optional.empty());

    private static final Set<String> OWN =
        Set.of("goals", "constraints", "initialContext", RESULT_SCHEMA);

    public ActionPolicyInput {
      goals = List.copyOf(goals);
      constraints = List.copyOf(constraints);
    }

    /**
     * Reads a run's input. A blank text and null are no input.
     *
     * @throws IllegalArgumentException that names the field that is not what it must be
     */
    public static ActionPolicyInput of(RunRequest request) {
      if (request.namespace().equals(EventBatch.NAMESPACE)) {
        return NONE;
      }
      JsonNode input = fields(request.input());
      JsonNode context = input.path("initialContext");
      if (!context.isMissingNode() && !context.isObject()) {
        throw new IllegalArgumentException(
            "initialContext: must be an object, not " + kind(context));
      }
      ObjectNode fields = JsonNodeFactory.instance.objectNode();
      input.properties().stream()
          .filter(one -> !OWN.contains(one.getKey()))
          .forEach(one -> fields.set(one.getKey(), one.getValue()));
      return new ActionPolicyInput(
          texts(input, "goals"),
          texts(input, "constraints"),
          context.isObject() ? (ObjectNode) context : JsonNodeFactory.instance.objectNode(),
          fields,
          schema(input.path(RESULT_SCHEMA)));
    }

    private static Optional<JsonNode> schema(JsonNode given) {
      if (given.isMissingNode()) {
        return Optional.empty();
      }
      if (!given.isObject()) {
        throw new IllegalArgumentException(
            RESULT_SCHEMA + ": must be a JSON schema, not " + kind(given));
      }
      try {
        JsonSchemaCheck.of(given);
      } catch (IllegalArgumentException unfit) {
        throw new IllegalArgumentException(RESULT_SCHEMA + ": " + unfit.getMessage(), unfit);
      }
      return Optional.of(given);
    }

    /** What is wrong with a final result by the schema of the input; empty if nothing is. */
    public Optional<String> wrongOutput(JsonNode finalResult) {
      List<String> wrong =
          resultSchema
              .map(schema -> JsonSchemaCheck.of(schema).violations(finalResult))
              .orElse(List.of());
      return wrong.isEmpty()
          ? Optional.empty()
          : Optional.of("output: " + String.join("; ", wrong));
    }

    /** The input as an object, whatever it is. */
    private static JsonNode fields(JsonNode input) {
      ObjectNode fields = JsonNodeFactory.instance.objectNode();
      return switch (input.getNodeType()) {
        case OBJECT -> input;
        case STRING -> input.textValue().isBlank() ? fields : fields.set("goals", input);
        case NULL, MISSING -> fields;
        case ARRAY, NUMBER, BOOLEAN, BINARY, POJO -> fields.set("input", input);
      };
    }

    private static List<String> texts(JsonNode input, String name) {
      JsonNode given = input.path(name);
      if (given.isMissingNode()) {
        return List.of();
      }
      if (given.isTextual()) {
        return List.of(given.textValue());
      }
      List<String> texts = new ArrayList<>();
      for (JsonNode one : given) {
        if (!one.isTextual()) {
          throw new IllegalArgumentException(
              name + ": must be a list of texts, but holds " + kind(one));
        }
        texts.add(one.textValue());
      }
      if (!given.isArray()) {
        throw new IllegalArgumentException(
            name + ": must be a text or a list of texts, not " + kind(given));
      }
      return texts;
    }

    private static String kind(JsonNode json) {
      return switch (json.getNodeType()) {
        case ARRAY -> "a list";
        case OBJECT, POJO -> "an object";
        case STRING, BINARY -> "a text";
        case NUMBER -> "a number";
        case BOOLEAN -> "true or false";
        case NULL, MISSING -> "null";
      };
    }
  }

  /**
   * What a run gives.
   *
   * @param success whether the goals were reached
   * @param finalResult what was produced; held against the outputs that the policy declares
   * @param exportedResults for other agents, by name
   * @param learnedPatterns discovered on the way, a line each
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record ActionPolicyOutput(
      boolean success,
      @JsonInclude JsonNode finalResult,
      Map<String, JsonNode> exportedResults,
      List<String> learnedPatterns) {

    public ActionPolicyOutput {
      finalResult = finalResult == null ? JsonNodeFactory.instance.nullNode() : finalResult;
      exportedResults = exportedResults == null ? Map.of() : Map.copyOf(exportedResults);
      learnedPatterns = learnedPatterns == null ? List.of() : List.copyOf(learnedPatterns);
    }

    /** A success with a result and nothing else. */
    public static ActionPolicyOutput of(JsonNode finalResult) {
      return new ActionPolicyOutput(true, finalResult, Map.of(), List.of());
    }

    /** The run that ends with it; failed where the policy says that it fell short of its goals. */
    public AgentRun endOf(RunId run, RunStats stats) {
      return new AgentRun(
          run,
          success ? AgentRun.Status.COMPLETED : AgentRun.Status.FAILED,
          finalResult,
          success ? Optional.empty() : Optional.of("the run fell short of its goals"),
          stats,
          Optional.empty(),
          exportedResults,
          learnedPatterns,
          false);
    }
  }
}
