package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.WellFormed;
import dev.colony.replica.lexical.EvidenceRanker.Ranked;
import dev.colony.replica.lexical.LexicalModel.Tools.Call;
import dev.colony.replica.lexical.LexicalModel.Tools.Taken;
import dev.colony.replica.lexical.QueryTerms.Extract;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Answers prompts by their words. What it does is decided by the reply's schema: {@code evidence}
 * with files and lines is quoted from the pages, {@code answer} with {@code citations} is composed
 * from the numbered passages of the request, {@code keep} with {@code gaps} keeps all of those,
 * {@code queries} are none, since it knows no other words than the question's, any other schema is
 * filled from the best matching sentences, and without a schema those sentences are the answer.
 * Tools are called by the points of a request. It plans nothing, see {@link ToolChooser}.
 *
 * <p>The same prompt always gets the same reply. Thread-safe. A page costs a few milliseconds the
 * first time, and far less while its analysis is remembered.
 */
public final class LexicalModel {

  private static final int DEFAULT_EVIDENCE = 6;
  private final PageMemo pages = new PageMemo();

  /** The reply to a prompt: JSON where it carries a schema, else text. */
  public String reply(LexicalPrompt prompt) {
    Optional<JsonNode> schema = prompt.schema();
    if (schema.isEmpty()) {
      return Extract.of(prompt).text();
    }
    JsonNode properties = schema.get().path("properties");
    if (asksForEvidence(properties)) {
      return evidence(prompt, properties).toString();
    }
    if (properties.path("answer").path("type").asText().equals("string")
        && properties.path("citations").path("items").path("properties").has("evidence")) {
      return AnswerComposer.compose(prompt).toString();
    }
    if (properties.has("keep") && properties.has("gaps")) {
      return AnswerComposer.keepAll(prompt).toString();
    }
    if (properties.has("queries") && properties.size() == 1) {
      ObjectNode none = JsonNodeFactory.instance.objectNode();
      none.putArray("queries");
      return none.toString();
    }
    return SchemaFiller.fill(schema.get(), Extract.of(prompt)).toString();
  }

  /** As above, where calls of tools have given results since the request. */
  public String reply(LexicalPrompt prompt, List<Taken> taken) {
    if (taken.isEmpty()) {
      return reply(prompt);
    }
    List<String> context = new ArrayList<>(prompt.context());
    taken.forEach(one -> context.add(one.result()));
    LexicalPrompt informed = new LexicalPrompt(context, prompt.request(), prompt.schema());
    if (prompt.schema().isPresent()) {
      return reply(informed);
    }
    List<String> results = taken.stream().map(Taken::result).toList();
    Extract said = Extract.of(new LexicalPrompt(results, prompt.question(), prompt.schema()));
    return said.sentences().isEmpty() ? results.getLast() : said.text();
  }

  /** The tool call with which the model replies; empty where it replies with a text. */
  public Optional<Call> call(LexicalPrompt prompt, Tools tools) {
    return ToolChooser.call(prompt, tools);
  }

  /** The choice that shares most words with the prompt. */
  public String choose(LexicalPrompt prompt, List<String> choices) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode();
    choices.forEach(schema.putArray("enum")::add);
    return SchemaFiller.fill(schema, Extract.of(prompt)).textValue();
  }

  private static boolean asksForEvidence(JsonNode properties) {
    JsonNode item = properties.path("evidence").path("items").path("properties");
    return item.has("file") && (item.has("line") || item.has("first") && item.has("last"));
  }

  /** A line, or where spans are asked for, one with what stands next to it. */
  private ObjectNode evidence(LexicalPrompt prompt, JsonNode properties) {
    JsonNode schema = properties.path("evidence");
    boolean spans = schema.path("items").path("properties").has("first");
    QueryTerms query = QueryTerms.of(prompt.question());
    int limit = Math.min(schema.path("maxItems").asInt(DEFAULT_EVIDENCE), 1000);
    record OnPage(Ranked ranked, AnalyzedPage page) {}
    List<OnPage> best = new ArrayList<>();
    for (String text : prompt.context()) {
      AnalyzedPage page = pages.analyze(text);
      EvidenceRanker.best(page, query, limit).forEach(one -> best.add(new OnPage(one, page)));
    }
    best.sort(Comparator.comparingDouble((OnPage one) -> -one.ranked().score()));
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    ArrayNode evidence = root.putArray("evidence");
    for (OnPage found : best.subList(0, Math.min(limit, best.size()))) {
      Ranked ranked = found.ranked();
      ObjectNode one = evidence.addObject().put("file", ranked.path());
      if (spans) {
        List<AnalyzedPage.Line> lines = ranked.span(found.page());
        one.put("first", lines.getFirst().number())
            .put("last", lines.getLast().number())
            .put(
                "text",
                cut(
                    String.join("\n", lines.stream().map(AnalyzedPage.Line::text).toList()),
                    schema));
      } else {
        one.put("line", ranked.line().number()).put("text", cut(ranked.line().text(), schema));
      }
      one.put("score", Math.round(ranked.score() * 1000) / 1000.0);
    }
    if (properties.has("look")) {
      root.putArray("look");
    }
    return root;
  }

  /** As much of a quote as the schema takes. */
  private static String cut(String text, JsonNode evidence) {
    int most = evidence.at("/items/properties/text/maxLength").asInt(Integer.MAX_VALUE);
    return text.length() > most ? WellFormed.head(text, most) : text;
  }

  /**
   * Analyses of pages, remembered by their text, least recently used out first. Bounded by the
   * characters of the texts. Thread-safe; two threads may analyze the same new page at once.
   */
  static final class PageMemo {

    private static final long MOST_CHARS = 16_000_000;

    private final LinkedHashMap<String, AnalyzedPage> memo = new LinkedHashMap<>(64, 0.75f, true);
    private long held;

    AnalyzedPage analyze(String text) {
      synchronized (memo) {
        AnalyzedPage known = memo.get(text);
        if (known != null) {
          return known;
        }
      }
      AnalyzedPage page = new AnalyzedPage(text);
      synchronized (memo) {
        if (memo.put(text, page) == null) {
          held += text.length();
        }
        while (held > MOST_CHARS && !memo.isEmpty()) {
          held -= memo.pollFirstEntry().getKey().length();
        }
      }
      return page;
    }
  }

  /**
   * What the model is asked.
   *
   * @param context the user messages before the request: pages, as a rule
   * @param request the user message that holds the task and the question
   * @param schema what the reply must satisfy; empty for free text
   */
  public record LexicalPrompt(List<String> context, String request, Optional<JsonNode> schema) {

    static final String QUESTION = "Question: ";

    public LexicalPrompt {
      context = List.copyOf(context);
    }

    /**
     * Tells request from context: the request is the last user message that asks a question on a
     * line of its own, or else the last one.
     */
    public static LexicalPrompt of(List<String> userMessages, Optional<JsonNode> schema) {
      int request = userMessages.size() - 1;
      for (int i = request; i >= 0; i--) {
        if (questionIn(userMessages.get(i)).isPresent()) {
          request = i;
          break;
        }
      }
      return request < 0
          ? new LexicalPrompt(List.of(), "", schema)
          : new LexicalPrompt(userMessages.subList(0, request), userMessages.get(request), schema);
    }

    /** The question's text, or the whole request where no line is marked as the question. */
    String question() {
      return questionIn(request).orElse(request);
    }

    private static Optional<String> questionIn(String message) {
      return message
          .lines()
          .filter(line -> line.startsWith(QUESTION))
          .map(line -> line.substring(QUESTION.length()).strip())
          .reduce((first, last) -> last);
    }
  }

  /**
   * The tools that a prompt offers, and which of them have been called since its request.
   *
   * @param choice whether a tool must be called
   * @param taken calls since the request, with their results, in their order
   */
  public record Tools(List<Tool> offered, Choice choice, List<Taken> taken) {

    static final String FAIL = "fail";

    /** What an agent's planner offers beside its actions: by these it ends a run or a turn. */
    private static final Set<String> ENDS = Set.of("complete", "idle", FAIL);

    /** A tool by its name, what it does, and the JSON schema of its arguments. */
    public record Tool(String name, String description, JsonNode parameters) {}

    /** A tool's name and the arguments of one call. */
    public record Call(String name, ObjectNode arguments) {}

    /** A call that was made, and what it gave. */
    public record Taken(Call call, String result) {}

    /** Whether the model calls a tool. */
    public sealed interface Choice {
      /** It must not. */
      record None() implements Choice {}

      /** It may. */
      record Auto() implements Choice {}

      /** It must, whichever. */
      record Required() implements Choice {}

      /** It must call this one. */
      record Named(String tool) implements Choice {}
    }

    public Tools {
      offered = List.copyOf(offered);
      taken = List.copyOf(taken);
    }

    /** Whether these are the tools of an agent's planner. */
    public boolean planning() {
      return ENDS.stream().allMatch(end -> named(end).isPresent());
    }

    Optional<Tool> named(String name) {
      return offered.stream().filter(tool -> tool.name().equals(name)).findFirst();
    }
  }
}
