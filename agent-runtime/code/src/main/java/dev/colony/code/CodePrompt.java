package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.ActionPolicyInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the model is shown besides the turns of a run: the system message, the same as long as the
 * agent has the same actions, and the opening, the same for a run.
 *
 * @param result JSON schema of what a run gives
 */
record CodePrompt(CodeGenerationActionPolicy.Args args, JsonNode result, CodeSettings settings) {

  static final String ASK = "Reply with the next cell, or with an end.";

  private static final String RULES =
      """
      You work by writing small programs in JavaScript, called cells, one in each reply. Reply with \
      one cell between ```js and ```, or call the tool run_cell where you have it. You are then shown \
      what the cell has printed and what went wrong in it, and write the next one.
      - print(...) shows you values. show(value, from, to) shows a part of a large one by characters. \
      Of what a cell prints you see the first %d characters.
      - Variables that you declare at the top level stay for later cells, if their values are JSON of \
      at most %d bytes. Functions do not. You see only how values begin: print what you have to know.
      - Your actions are the functions below. Each takes one object and gives its result, at once: \
      await is allowed and not needed. It throws an ActionError with a message and a status where the \
      action fails or is refused. A cell makes at most %d calls.
      - There are no files, no network, no timers and no imports. The clock and random numbers of a \
      cell are given ones. A cell that computes for longer than %s is stopped.
      - complete(result) in a cell ends the run with that result once the goals are reached.
      To end without a cell reply with one JSON object and nothing else, or call the tool of that name:
      {"end": "complete", "result": ...} when the goals are reached; in it the text "$name" stands for \
      the value of the variable name, and a text that begins with $ is written with $$;
      {"end": "idle"} when nothing is to be done until something happens;
      {"end": "fail", "reason": ...} when the goals cannot be reached.\
      """;

  String system(Functions functions, int tokens) {
    String rules =
        RULES.formatted(
            settings.outputChars(),
            settings.variables().oneBytes(),
            settings.cell().calls(),
            settings.cell().cpu().toString().substring(2).toLowerCase(Locale.ROOT));
    String given = result.isEmpty() ? "" : "The result is " + TypeText.of(result) + ".";
    String called = functions.groups().isEmpty() ? "None.\n" : functions.text(tokens);
    return Stream.of(args.role().orElse(""), rules, given, "## Functions\n```ts\n" + called + "```")
        .filter(text -> !text.isBlank())
        .collect(Collectors.joining("\n\n"));
  }

  String opening(RunRequest request) {
    ActionPolicyInput input = ActionPolicyInput.of(request);
    ObjectNode given = input.initialContext().deepCopy();
    given.setAll(input.fields());
    List<String> fields = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : given.properties()) {
      fields.add(one.getKey() + ": " + one.getValue());
    }
    return Stream.of(
            section("Goals", both(args.goals(), input.goals())),
            section("Constraints", both(args.constraints(), input.constraints())),
            section("Input", fields))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining("\n\n"));
  }

  /** Lines under a heading; nothing for none. */
  static String section(String heading, List<String> lines) {
    return lines.isEmpty()
        ? ""
        : lines.stream()
            .map(line -> "- " + line)
            .collect(Collectors.joining("\n", "## " + heading + "\n", ""));
  }

  private static List<String> both(Optional<List<String>> standing, List<String> ofRun) {
    return Stream.concat(standing.stream().flatMap(List::stream), ofRun.stream()).toList();
  }
}
