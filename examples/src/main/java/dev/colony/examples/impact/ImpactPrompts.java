package dev.colony.examples.impact;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.agent.ModelCall;
import dev.colony.examples.impact.Impact.Site;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How the model is asked about a change. What several questions share stands first. */
final class ImpactPrompts {

  private static final String NAMING =
      """
      You are told of a change to a program. Give the names of the classes, functions, methods, \
      constants or settings that it changes, as they stand in the code, the most telling first, as \
      in merge or Tree.merge. Give none that you would have to make up.\
      """;

  private static final String JUDGING =
      """
      You judge what a change to a program would break. You are shown what changes and the places \
      that depend on it, as they are now, each line behind its number, and judge from that alone. \
      Say of each place, by its number in brackets, what becomes of it: "must_change" where it no \
      longer compiles or does something wrong, "check" where it may behave differently, \
      "unaffected", or "unsure" where what is shown does not tell; and why, in one sentence that \
      names what in the line decides it.\
      """;

  private static final String SUMMING =
      """
      You sum up what a change to a program would break, in two to five sentences for who makes the \
      change: what breaks, in which order to go about it, what to test. Name files. Say nothing that \
      the judgements which you are shown do not say.\
      """;

  private static final int NAME_TOKENS = 300;
  private static final int JUDGE_TOKENS = 2000;
  private static final int SUM_TOKENS = 600;

  private static final JsonNode NAME =
      schema(
          """
          {"type": "object",
           "properties": {"symbols": {"type": "array", "maxItems": 5, "items": {"type": "string"}}},
           "required": ["symbols"], "additionalProperties": false}
          """);

  private static final JsonNode JUDGE =
      schema(
          """
          {"type": "object",
           "properties": {
             "sites": {
               "type": "array",
               "items": {
                 "type": "object",
                 "properties": {
                   "site": {"type": "integer"},
                   "verdict": {"type": "string", "enum": ["unsure", "must_change", "check", "unaffected"]},
                   "why": {"type": "string"}
                 },
                 "required": ["site", "verdict", "why"],
                 "additionalProperties": false
               }
             }
           },
           "required": ["sites"], "additionalProperties": false}
          """);

  private static final JsonNode SUM =
      schema(
          """
          {"type": "object", "properties": {"summary": {"type": "string"}},
           "required": ["summary"], "additionalProperties": false}
          """);

  private ImpactPrompts() {}

  /** A place with the lines around it. */
  record Shown(int number, Site site, String text, int firstLine) {}

  static ModelCall name(String question) {
    return call(NAMING, "The change: " + question, NAME, NAME_TOKENS);
  }

  /**
   * Asks about some places.
   *
   * @param definitions what changes, as it is now
   */
  static ModelCall judge(String question, String definitions, List<Shown> places) {
    StringBuilder text = new StringBuilder("What changes, as it is now:\n").append(definitions);
    text.append("The change: ").append(question).append("\n\nPlaces that depend on it:\n");
    for (Shown one : places) {
      Site site = one.site();
      text.append(
          "[%d] %s:%d%s, uses %s%s\n"
              .formatted(
                  one.number(),
                  site.file(),
                  site.line(),
                  site.within().isEmpty() ? "" : " in " + site.within(),
                  site.uses(),
                  site.test() ? ", a test" : ""));
      text.append(numbered(one.text(), one.firstLine())).append('\n');
    }
    return call(JUDGING, text.toString(), JUDGE, JUDGE_TOKENS);
  }

  static ModelCall sum(String question, List<Site> sites) {
    StringBuilder text = new StringBuilder("The change: ").append(question).append("\n\nJudged:\n");
    for (Site site : sites) {
      text.append(
          "%s:%d %s: %s\n"
              .formatted(
                  site.file(),
                  site.line(),
                  site.verdict().name().toLowerCase(Locale.ROOT),
                  site.why()));
    }
    return call(SUMMING, text.toString(), SUM, SUM_TOKENS);
  }

  /** Code as prompts show it: each line behind its number, from the first one's number on. */
  static String numbered(String text, int firstLine) {
    StringBuilder numbered = new StringBuilder();
    int number = firstLine;
    for (String line : text.split("\n", -1)) {
      numbered.append("%5d  ".formatted(number++)).append(line).append('\n');
    }
    return numbered.toString();
  }

  private static ModelCall call(String preamble, String text, JsonNode schema, int tokens) {
    return new ModelCall(preamble, List.of(), text, Optional.of(schema), tokens);
  }

  private static JsonNode schema(String json) {
    try {
      return JsonMapper.builder().build().readTree(json);
    } catch (JsonProcessingException wrong) {
      throw new IllegalStateException(wrong);
    }
  }
}
