package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.lexical.EvidenceRanker.Ranked;
import dev.colony.replica.lexical.Tools.Call;
import dev.colony.replica.lexical.Tools.Taken;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

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
            .put("text", String.join("\n", lines.stream().map(AnalyzedPage.Line::text).toList()));
      } else {
        one.put("line", ranked.line().number()).put("text", ranked.line().text());
      }
      one.put("score", Math.round(ranked.score() * 1000) / 1000.0);
    }
    if (properties.has("look")) {
      root.putArray("look");
    }
    return root;
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
}
