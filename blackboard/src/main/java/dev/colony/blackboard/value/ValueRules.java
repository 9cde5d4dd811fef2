package dev.colony.blackboard.value;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;

/**
 * The rules for JSON values: what is stored can be read back as it was, in JSON as in CBOR. So each
 * text and each name of a field is {@link Text#check well-formed}, a number with a fraction or an
 * exponent is one that a double holds ({@code 1e999999999} is not), a whole number has at most
 * {@value #MAX_DIGITS} digits, and values nest at most {@value #MAX_DEPTH} deep. One walk over the
 * value; what is refused is named by its path, {@code $.a[3].b}.
 */
public final class ValueRules {

  /** How deep objects and arrays may lie in each other. */
  public static final int MAX_DEPTH = 500;

  /** How many digits a whole number may have; JSON readers take no more. */
  public static final int MAX_DIGITS = 1_000;

  /** How many characters the name of a field may have. */
  public static final int MAX_NAME = 10_000;

  private static final int SHOWN = 40;
  private static final BigInteger BEYOND = BigInteger.TEN.pow(MAX_DIGITS);

  private ValueRules() {}

  /**
   * Returns the value if it keeps the rules.
   *
   * @param what names the value in a refusal, with its article: "the input"
   * @throws IllegalArgumentException on one line, saying what in it breaks which rule
   */
  public static JsonNode check(String what, JsonNode value) {
    fault(what, value)
        .ifPresent(fault -> {
          throw new IllegalArgumentException(fault);
        });
    return value;
  }

  /** Which rule the value breaks and where, on one line; empty if it keeps them all. */
  public static Optional<String> fault(String what, JsonNode value) {
    String fault = fault(value, null, 0);
    return fault == null ? Optional.empty() : Optional.of(what + " cannot be stored: " + fault);
  }

  /** A step on the way to a value: the name of a field, or an index. */
  private record Step(Step before, String name, int index) {}

  private static String fault(JsonNode value, Step at, int depth) {
    return switch (value.getNodeType()) {
      case STRING -> {
        int half = Text.half(value.textValue());
        yield half < 0 ? null : Text.fault(path(at), half);
      }
      case NUMBER -> number(value, at);
      case OBJECT -> depth < MAX_DEPTH ? object(value, at, depth) : tooDeep();
      case ARRAY -> depth < MAX_DEPTH ? array(value, at, depth) : tooDeep();
      case POJO -> path(at) + " is a Java object, which is no JSON";
      case BINARY, BOOLEAN, MISSING, NULL -> null;
    };
  }

  private static String object(JsonNode object, Step at, int depth) {
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String name = field.getKey();
      int half = Text.half(name);
      if (half >= 0) {
        return Text.fault("the name " + shown(name) + " of a field of " + path(at), half);
      }
      if (name.length() > MAX_NAME) {
        return "the name %s of a field of %s has %d characters, more than %d"
            .formatted(shown(name), path(at), name.length(), MAX_NAME);
      }
      String fault = fault(field.getValue(), new Step(at, name, 0), depth + 1);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  private static String array(JsonNode array, Step at, int depth) {
    int index = 0;
    for (JsonNode element : array) {
      String fault = fault(element, new Step(at, null, index++), depth + 1);
      if (fault != null) {
        return fault;
      }
    }
    return null;
  }

  private static String number(JsonNode number, Step at) {
    if (number.isFloat() || number.isDouble() || number.isBigDecimal()) {
      return Double.isFinite(number.doubleValue())
          ? null
          : path(at) + " is a number beyond what a double holds, which ends at about 1.8e308";
    }
    boolean tooLong =
        number.isBigInteger() && number.bigIntegerValue().abs().compareTo(BEYOND) >= 0;
    return tooLong ? path(at) + " is a whole number of more than " + MAX_DIGITS + " digits" : null;
  }

  private static String tooDeep() {
    return "it nests deeper than " + MAX_DEPTH;
  }

  private static String path(Step at) {
    StringBuilder path = new StringBuilder();
    for (Step step = at; step != null; step = step.before()) {
      path.insert(0, step.name() == null ? "[" + step.index() + "]" : "." + shown(step.name()));
      if (path.length() > 4 * SHOWN) {
        return "$..." + path;
      }
    }
    return "$" + path;
  }

  private static String shown(String name) {
    return Text.line(name, SHOWN);
  }
}
