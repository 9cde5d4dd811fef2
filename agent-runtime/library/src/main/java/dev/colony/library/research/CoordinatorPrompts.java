package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.Agent;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.Composing.Excerpts;
import dev.colony.library.research.CoordinatorPrompts.Judgement;
import dev.colony.library.research.ResearchTypes.Json;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/** How the coordinator asks the model for search words, and for a judgement of what was found. */
final class CoordinatorPrompts {

  /** The same for all of a coordinator's calls. */
  static final String PREAMBLE =
      """
      You answer questions about a source tree for programmers. You do not see the tree: you say \
      what to search for, readers quote passages of its files to you, and you judge them and \
      explain what they show. You never fill a gap from memory.\
      """;

  private static final int WORDS_TOKENS = 400;
  private static final int JUDGE_TOKENS = 1200;

  /** Directories of the tree that are named. */
  private static final int MOST_LABELS = 80;

  private static final int MOST_QUERIES = 3;
  private static final int MOST_GAPS = 3;

  private static final JsonNode WORDS =
      Json.parse(
          """
          {"type": "object", "properties": {
            "queries": {"type": "array", "maxItems": 3,
              "items": {"type": "string", "maxLength": 120}}},
           "required": ["queries"], "additionalProperties": false}
          """);

  private static final JsonNode JUDGEMENT =
      Json.parse(
          """
          {"type": "object", "properties": {
            "keep": {"type": "array", "maxItems": 30, "items": {"type": "integer"}},
            "gaps": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {
              "question": {"type": "string", "maxLength": 300},
              "queries": {"type": "array", "maxItems": 3,
              "items": {"type": "string", "maxLength": 120}}},
              "required": ["question", "queries"], "additionalProperties": false}}},
           "required": ["keep", "gaps"], "additionalProperties": false}
          """);

  /**
   * What is missing.
   *
   * @param queries to find it with
   */
  record Gap(String question, List<String> queries) {
    Gap {
      queries = queries == null ? List.of() : List.copyOf(queries);
    }
  }

  /**
   * What the model says of passages.
   *
   * @param keep the numbers of those that answer, best first, from 1; empty for none
   */
  record Judgement(List<Integer> keep, List<Gap> gaps) {

    /** All of them, of which nothing is said. */
    static Judgement all(int many) {
      List<Integer> keep = new ArrayList<>();
      for (int number = 1; number <= many; number++) {
        keep.add(number);
      }
      return new Judgement(keep, List.of());
    }

    /** The passages that are kept; numbers that no passage has are left out. */
    List<Evidence> of(List<Evidence> passages) {
      return keep.stream()
          .distinct()
          .filter(number -> number >= 1 && number <= passages.size())
          .map(number -> passages.get(number - 1))
          .toList();
    }
  }

  private CoordinatorPrompts() {}

  static ModelCall words(String question, Optional<PageMap> map) {
    StringBuilder text = new StringBuilder();
    List<String> labels =
        map.stream()
            .flatMap(one -> one.groups().stream())
            .map(PageGroup::label)
            .filter(label -> !label.isBlank())
            .distinct()
            .toList();
    if (!labels.isEmpty()) {
      text.append("Directories of the tree:\n");
      labels.stream()
          .limit(MOST_LABELS)
          .forEach(label -> text.append("  ").append(label).append('\n'));
      if (labels.size() > MOST_LABELS) {
        text.append("  and %d more\n".formatted(labels.size() - MOST_LABELS));
      }
    }
    text.append(
        """
        Give up to three queries for a word search that find the code which answers the question. \
        The question may use other words than the code does: guess the code's own. One query of the \
        likely identifiers (classes, methods, fields, settings), one of likely file names, one of \
        words that a comment or a message there would have. Three to eight words each, no operators.
        Question: %s\
        """
            .formatted(question));
    return new ModelCall(PREAMBLE, List.of(), text.toString(), Optional.of(WORDS), WORDS_TOKENS);
  }

  /** The queries of a reply, without empty ones. */
  static List<String> queries(String reply) {
    return texts(Json.parse(reply).path("queries"));
  }

  /**
   * Asks which passages answer and what is missing.
   *
   * @param more whether a further round is possible
   * @param less how many tokens fewer the passages are to take
   */
  static ModelCall judge(String question, List<Evidence> passages, boolean more, long less) {
    String text =
        """
        Readers quote the passages below. Decide which of them answer the question, wholly or in a \
        part that is needed.
        "keep": the numbers of those, the one that tells most first; 15 at most. A passage that only \
        shares words with the question is not kept. Empty if none answers.
        "gaps": what the passages leave open and the answer needs, up to three sub-questions, each \
        with up to three queries in the code's own words for a search in what is not read yet; \
        identifiers that the passages name are good ones. %s

        Passages:
        %sQuestion: %s\
        """
            .formatted(
                more
                    ? "Empty if the answer can be given."
                    : "Nothing more is read: name what stays open, without queries.",
                passages.isEmpty() ? "(none)\n" : Excerpts.of(passages, List.of(), less),
                question);
    return new ModelCall(PREAMBLE, List.of(), text, Optional.of(JUDGEMENT), JUDGE_TOKENS);
  }

  static Judgement judgement(String reply) {
    JsonNode json = Json.parse(reply);
    List<Integer> keep = new ArrayList<>();
    json.path("keep").forEach(number -> keep.add(number.asInt()));
    List<Gap> gaps = new ArrayList<>();
    for (JsonNode gap : json.path("gaps")) {
      String question = gap.path("question").asText("").strip();
      if (!question.isEmpty() && gaps.size() < MOST_GAPS) {
        gaps.add(new Gap(question, texts(gap.path("queries"))));
      }
    }
    return new Judgement(List.copyOf(keep), List.copyOf(gaps));
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    for (JsonNode one : list) {
      String text = one.asText("").strip();
      if (!text.isEmpty() && texts.size() < MOST_QUERIES) {
        texts.add(text);
      }
    }
    return texts;
  }

  /**
   * What a coordinator asks its model on the way to an answer, whatever decides which actions it
   * takes. A call that fails costs a help and not the answer.
   */
  static final class CoordinatorCalls {

    private CoordinatorCalls() {}

    /** Queries in the code's own words; empty where the model gives none. */
    static List<String> words(Agent agent, String question, String map) {
      ModelCall call = CoordinatorPrompts.words(question, agent.pages().map(map));
      return asked(agent, "words", less -> call).map(CoordinatorPrompts::queries).orElse(List.of());
    }

    /**
     * Which passages answer, and what is missing; all and nothing where the model does not say.
     *
     * @param more whether a further round is possible
     */
    static Judgement judged(Agent agent, String question, List<Evidence> passages, boolean more) {
      return asked(agent, "judge", less -> CoordinatorPrompts.judge(question, passages, more, less))
          .map(CoordinatorPrompts::judgement)
          .orElse(Judgement.all(passages.size()));
    }

    private static Optional<String> asked(
        Agent agent, String name, LongFunction<ModelCall> without) {
      try {
        return Optional.of(PromptFit.infer(agent, name, without).text());
      } catch (AgentException unanswered) {
        return Optional.empty();
      }
    }
  }
}
