package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.code.Cell.CellOutcome;
import dev.colony.library.policy.JsonPreview;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A function that a planner has defined, with the examples that it passes. It depends on its
 * arguments alone: it calls no action, and its clock and its random numbers are the same in each
 * call.
 */
record CodeTool(
    @Param("1 to 48 of a-z 0-9 _, the first a letter") String name,
    @Param("what it does, for a reader who decides whether to call it") @Range(min = 1, max = 400)
        String description,
    @Param("JSON schema of its arguments, of the type object") JsonNode parameters,
    @Param(
            "JavaScript, the body of an async function that reads args, an object, and returns the"
                + " result, which is JSON; it calls no other functions of yours")
        @Range(min = 1, max = CodeTool.CODE_CHARS)
        String code,
    @Param("calls that it is tested with; it is kept only if it gives these results")
        @Range(min = 1, max = CodeTool.MOST_EXAMPLES)
        List<Example> examples) {

  static final int CODE_CHARS = 8_000;
  static final int MOST_EXAMPLES = 20;

  /** Of a tool as JSON. */
  static final int MOST_CHARS = 20_000;

  private static final int SHOWN_CHARS = 300;
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]{0,47}");
  private static final Functions NO_FUNCTIONS = Functions.of(List.of());

  record Example(
      @Param("the arguments by their names") JsonNode arguments,
      @Param("what the code returns for them") JsonNode result) {}

  CodeTool {
    examples = List.copyOf(examples);
  }

  /** With the examples of another one that it takes the place of. */
  CodeTool inPlaceOf(CodeTool other) {
    List<Example> all =
        Stream.concat(examples.stream(), other.examples.stream()).distinct().toList();
    return new CodeTool(name, description, parameters, code, all);
  }

  /**
   * Why it cannot be kept, before it is executed; empty if nothing stands against it.
   *
   * @param taken names that no tool may have
   */
  Optional<String> fault(Set<String> taken) {
    if (!NAME.matcher(name).matches() || taken.contains(name)) {
      return Optional.of(
          "a tool's name is 1 to 48 of a-z 0-9 _, begins with a letter and is none of "
              + String.join(", ", taken));
    }
    if (examples.size() > MOST_EXAMPLES) {
      return Optional.of(
          "with those of the tool that it replaces there are %d examples, and %d are the most"
              .formatted(examples.size(), MOST_EXAMPLES));
    }
    int chars = JsonValues.toJson(this).toString().length();
    if (chars > MOST_CHARS) {
      return Optional.of(
          "the tool takes %d characters as JSON, and %d are the most".formatted(chars, MOST_CHARS));
    }
    if (!parameters.path("type").asText().equals("object")) {
      return Optional.of("parameters is no JSON schema of the type object");
    }
    try {
      for (Example example : examples) {
        List<String> wrong = violations(example.arguments());
        if (!wrong.isEmpty()) {
          return Optional.of(
              "the arguments %s of an example do not fit parameters: %s"
                  .formatted(shown(example.arguments()), String.join("; ", wrong)));
        }
      }
    } catch (IllegalArgumentException none) {
      return Optional.of("parameters: " + none.getMessage());
    }
    return Optional.empty();
  }

  List<String> violations(JsonNode arguments) {
    return JsonSchemaCheck.of(parameters).violations(arguments);
  }

  /** The first of its examples that it does not pass, with what came out; empty if it passes. */
  Optional<String> failing(Sandbox sandbox) throws Exception {
    for (Example example : examples) {
      CellOutcome outcome = executed(sandbox, example.arguments());
      Optional<String> wrong =
          outcome
              .error()
              .map(error -> "ended with an error: " + error)
              .or(() -> differing(outcome.completed().orElseThrow(), example.result()));
      if (wrong.isPresent()) {
        return Optional.of("the example %s %s".formatted(shown(example.arguments()), wrong.get()));
      }
    }
    return Optional.empty();
  }

  private static Optional<String> differing(JsonNode given, JsonNode expected) {
    return given.equals(CodeTool::compared, expected)
        ? Optional.empty()
        : Optional.of("gave %s, not %s".formatted(shown(given), shown(expected)));
  }

  /** Numbers by their values: JavaScript does not tell 3 and 3.0 apart. */
  private static int compared(JsonNode one, JsonNode other) {
    boolean same =
        one.isNumber() && other.isNumber()
            ? one.decimalValue().compareTo(other.decimalValue()) == 0
            : one.equals(other);
    return same ? 0 : 1;
  }

  /**
   * Calls it.
   *
   * @throws AgentException if it ends with an error, or this node executes no code
   */
  JsonNode call(Sandbox sandbox, JsonNode arguments) throws Exception {
    CellOutcome outcome = executed(sandbox, arguments);
    return outcome
        .completed()
        .orElseThrow(() -> AgentException.refused(outcome.error().orElse("it gave no result")));
  }

  /** The code stands on the first line, so that lines in errors are those of the code. */
  private CellOutcome executed(Sandbox sandbox, JsonNode arguments) throws Exception {
    String source = "complete(await (async (args) => {" + code + "\n})(args))";
    Cell cell = new Cell(source, 0, Instant.EPOCH, NO_FUNCTIONS, Map.of("args", arguments));
    return sandbox.execute(
        cell, (number, key, params) -> new Cell.Reply.Thrown("refused", "a tool calls no action"));
  }

  private static String shown(JsonNode value) {
    return JsonPreview.of(value, SHOWN_CHARS);
  }
}
