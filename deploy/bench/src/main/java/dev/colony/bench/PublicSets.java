package dev.colony.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.bench.KeyedQuestion.Place;
import dev.colony.blackboard.value.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Reads the lines of public sets of questions as {@link KeyedQuestion}s: ContextBench (Li and
 * others, 2026), whose {@code gold_context} names lines of files, and SWE-QA (Peng and others,
 * 2025), whose reference answers mention them in prose. A line of either is known by its fields.
 */
final class PublicSets {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** Of a question: an issue of a tracker may hold whole logs. */
  private static final int QUESTION_CHARS = 2_000;

  private static final int LARGEST_RANGE = 10_000;

  /** Where the containers of ContextBench keep a repository. */
  private static final Pattern CONTAINER =
      Pattern.compile("^(?:/testbed/|/workspace/[^/]+/|\\.?/+)");

  /** Known by its ending, for a member of an object looks like a file. */
  private static final String FILE =
      "[\\w$-][\\w./$-]*\\.(?:py|pyi|java|kt|scala|groovy|js|jsx|ts|tsx|go|rs|c|cc|cpp|h|hpp|cs|rb"
          + "|php|md|rst|txt|toml|cfg|ini|ya?ml|xml|html|sh|properties)";

  /** A file, or lines of the file that was mentioned last, unless theirs follows. */
  private static final Pattern MENTION =
      Pattern.compile(
          "(?i:\\blines?) (\\d{1,7})(?:\\s?[-\\u2013]\\s?(\\d{1,7}))?(?: (?:in|of) `?\\.?/?("
              + FILE
              + ")\\b)?|(?<![\\w./])\\.?/?("
              + FILE
              + ")\\b(?::(\\d{1,7})(?:-(\\d{1,7}))?)?");

  private PublicSets() {}

  /** Whether a line is of one of the sets. */
  static boolean has(JsonNode json) {
    return json.has("gold_context") || json.has("answer") && !json.has("files");
  }

  /**
   * The question of a line; empty where nothing says in which file its answer is.
   *
   * @param set the name of the file without its ending, by which SWE-QA names the repository
   * @param number of the line
   * @throws IllegalArgumentException if a field is missing
   */
  static Optional<KeyedQuestion> of(JsonNode json, String set, int number) {
    KeyedQuestion question =
        json.has("gold_context") ? contextBench(json) : sweQa(json, set, number);
    return Optional.of(question).filter(one -> !one.places().isEmpty());
  }

  private static KeyedQuestion contextBench(JsonNode json) {
    List<Place> places = new ArrayList<>();
    for (JsonNode one : places(json.path("gold_context"))) {
      String file = CONTAINER.matcher(one.path("file").asText("")).replaceFirst("");
      int first = one.path("start_line").asInt(1);
      places.add(place(file, first, one.path("end_line").asInt(first)));
    }
    return question(
        KeyedQuestion.text(json, "instance_id"),
        KeyedQuestion.text(json, "repo") + "@" + KeyedQuestion.text(json, "base_commit"),
        KeyedQuestion.text(json, "problem_statement"),
        places,
        json.path("language").asText("any"));
  }

  /** The list itself, or the text of it. */
  private static JsonNode places(JsonNode list) {
    try {
      return list.isTextual() ? MAPPER.readTree(list.asText()) : list;
    } catch (JsonProcessingException bad) {
      throw new IllegalArgumentException("gold_context is no JSON", bad);
    }
  }

  private static KeyedQuestion sweQa(JsonNode json, String set, int number) {
    String text = KeyedQuestion.text(json, "question");
    String commit = json.path("commit_id").asText(json.path("base_commit").asText(""));
    return question(
        set + "-" + number,
        json.path("repo").asText(set) + (commit.isEmpty() ? "" : "@" + commit),
        text,
        mentioned(KeyedQuestion.text(json, "answer")),
        text.strip().split("\\W", 2)[0].toLowerCase(Locale.ROOT));
  }

  /** The files that a text mentions, with the lines that it mentions of them. */
  static List<Place> mentioned(String text) {
    List<Place> places = new ArrayList<>();
    String file = "";
    for (MatchResult one : MENTION.matcher(text).results().toList()) {
      boolean lines = one.group(1) != null;
      String own = one.group(lines ? 3 : 4);
      file = own == null ? file : own;
      String first = one.group(lines ? 1 : 5);
      String last = one.group(lines ? 2 : 6);
      if (!file.isEmpty()) {
        int from = first == null ? 0 : Integer.parseInt(first);
        places.add(place(file, from, last == null ? from : Integer.parseInt(last)));
      }
    }
    return places;
  }

  private static Place place(String file, int first, int last) {
    return new Place(file, first, Math.clamp(last, first, first + LARGEST_RANGE));
  }

  private static KeyedQuestion question(
      String id, String corpus, String text, List<Place> places, String kind) {
    List<Pattern> files =
        places.stream()
            .map(Place::file)
            .distinct()
            .map(file -> Pattern.compile("(?:^|/)" + Pattern.quote(file) + "$"))
            .toList();
    return new KeyedQuestion(
        id, corpus, Text.line(text.strip(), QUESTION_CHARS), files, List.of(), places, kind);
  }
}
