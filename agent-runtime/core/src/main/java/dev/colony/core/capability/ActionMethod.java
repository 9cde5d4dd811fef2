package dev.colony.core.capability;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.agent.author.JsonSchemas;
import dev.colony.agent.author.Parameters;
import dev.colony.core.capability.CapabilityType.AnnotatedMethods;
import dev.colony.core.capability.CapabilityType.DurationText;
import dev.colony.core.capability.HandlerMethod.Thrown;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An {@link ActionExecutor} method as it was read.
 *
 * @param parameters how the method is given what the action was
 * @param checked the schema that the annotation declares in place of the parameters' own
 * @param output JSON schema
 * @param timeout empty for the node's
 */
record ActionMethod(
    Method method,
    ActionExecutor declared,
    Parameters parameters,
    Optional<Checked> checked,
    JsonNode output,
    Optional<Duration> timeout) {

  record Checked(JsonNode schema, JsonSchemaCheck check) {

    static Checked of(JsonNode schema) {
      return new Checked(schema, JsonSchemaCheck.of(schema));
    }
  }

  private static final Set<Class<?>> GIVEN = Set.of(ActionContext.class, IdempotencyKey.class);
  private static final int MOST_ATTEMPTS = 10;
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
  private static final Pattern HUMP =
      Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  static ActionMethod read(Method method) {
    ActionExecutor declared = method.getAnnotation(ActionExecutor.class);
    if (!declared.key().isEmpty() && !KEY.matcher(declared.key()).matches()) {
      throw AnnotatedMethods.refused(
          method,
          "has the key \"" + declared.key() + "\", not 1 to 128 characters of A-Z a-z 0-9 . _ : -");
    }
    if (declared.attempts() < 1 || declared.attempts() > MOST_ATTEMPTS) {
      throw AnnotatedMethods.refused(
          method, "is to be tried " + declared.attempts() + " times, not 1 to " + MOST_ATTEMPTS);
    }
    if (declared.attempts() > 1 && !declared.retryable()) {
      throw AnnotatedMethods.refused(
          method, "is to be tried " + declared.attempts() + " times and is not retryable");
    }
    try {
      return new ActionMethod(
          method,
          declared,
          AgentCapability.class.isAssignableFrom(method.getDeclaringClass())
              ? Parameters.of(method, GIVEN)
              : Parameters.ofTool(method, GIVEN),
          declared.inputSchema().isEmpty()
              ? Optional.empty()
              : Optional.of(Checked.of(schema(method, declared.inputSchema()))),
          declared.outputSchema().isEmpty()
              ? output(method)
              : schema(method, declared.outputSchema()),
          timeout(method, declared.timeout()));
    } catch (IllegalArgumentException unfit) {
      String name = AnnotatedMethods.name(method);
      throw unfit.getMessage().startsWith(name)
          ? unfit
          : AnnotatedMethods.refused(method, "is no action: " + unfit.getMessage());
    }
  }

  /** An {@link ActionResult} says by itself what it holds. */
  private static JsonNode output(Method method) {
    return method.getReturnType() == ActionResult.class
        ? JsonNodeFactory.instance.objectNode()
        : JsonSchemas.output(method.getGenericReturnType());
  }

  private static Optional<Duration> timeout(Method method, String text) {
    Optional<Duration> timeout = DurationText.parse(text);
    if (!text.isEmpty() && timeout.isEmpty()) {
      throw AnnotatedMethods.refused(
          method, "has the timeout \"" + text + "\", which is no 200ms, 30s, 2m or 1h up to 24h");
    }
    return timeout;
  }

  private static JsonNode schema(Method method, String text) {
    try {
      JsonNode schema = MAPPER.readTree(text);
      if (schema.isObject()) {
        return schema;
      }
    } catch (JsonProcessingException unfit) {
      throw AnnotatedMethods.refused(
          method, "declares a schema that is no JSON: " + unfit.getOriginalMessage());
    }
    throw AnnotatedMethods.refused(method, "declares a schema that is no JSON object");
  }

  /** Unique within the agent. */
  String key(String capabilityKey) {
    return declared.key().isEmpty()
        ? capabilityKey
            + "."
            + HUMP.matcher(method.getName()).replaceAll("_").toLowerCase(Locale.ROOT)
        : declared.key();
  }

  int attempts() {
    return declared.attempts();
  }

  ActionDescription describe(String capabilityKey, Duration usualTimeout) {
    return new ActionDescription(
        key(capabilityKey),
        capabilityKey,
        declared.summary(),
        Set.copyOf(List.of(declared.tags())),
        checked.map(Checked::schema).orElseGet(parameters::schema),
        output,
        List.of(declared.reads()),
        List.of(declared.writes()),
        !declared.excludeFromPlanning(),
        declared.effect(),
        declared.retryable(),
        declared.computing(),
        declared.approval(),
        timeout.orElse(usualTimeout));
  }

  /** What is wrong with parameters, one line each; empty if the method can be called with them. */
  List<String> violations(JsonNode params) {
    List<String> wrong =
        checked.map(declares -> declares.check().violations(params)).orElse(List.of());
    return wrong.isEmpty() ? parameters.violations(params) : wrong;
  }

  Object call(Object target, ObjectNode params, ActionContext context) throws Exception {
    Object[] given =
        parameters.read(
            params, type -> type == ActionContext.class ? context : context.idempotencyKey());
    try {
      return method.invoke(target, given);
    } catch (InvocationTargetException thrown) {
      throw Thrown.by(thrown);
    }
  }
}
