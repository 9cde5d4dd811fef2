package dev.colony.agent.capability;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An {@link ActionExecutor} method as it was read.
 *
 * @param parameters JSON schema
 * @param output JSON schema
 * @param timeout empty for the node's
 */
record ActionMethod(
    Method method,
    ActionExecutor declared,
    JsonNode parameters,
    JsonNode output,
    Optional<Duration> timeout) {

  private static final int MOST_ATTEMPTS = 10;
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
  private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
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
    return new ActionMethod(
        method,
        declared,
        declared.inputSchema().isEmpty()
            ? MAPPER.createObjectNode()
            : schema(method, declared.inputSchema()),
        declared.outputSchema().isEmpty()
            ? MAPPER.createObjectNode()
            : schema(method, declared.outputSchema()),
        timeout(method, declared.timeout()));
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
        parameters,
        output,
        List.of(declared.reads()),
        List.of(declared.writes()),
        !declared.excludeFromPlanning(),
        declared.effect(),
        declared.retryable(),
        declared.computing(),
        timeout.orElse(usualTimeout));
  }

  Object call(AgentCapability target, ObjectNode params, ActionContext context) throws Exception {
    Object[] given =
        Arrays.stream(method.getParameters())
            .map(parameter -> argument(parameter, params, context))
            .toArray();
    try {
      return method.invoke(target, given);
    } catch (InvocationTargetException thrown) {
      throw Thrown.by(thrown);
    }
  }

  private static Object argument(Parameter parameter, ObjectNode params, ActionContext context) {
    if (parameter.getType() == ActionContext.class) {
      return context;
    }
    if (parameter.getType() == IdempotencyKey.class) {
      return context.idempotencyKey();
    }
    return MAPPER.convertValue(
        params.get(parameter.getName()), MAPPER.constructType(parameter.getParameterizedType()));
  }
}
