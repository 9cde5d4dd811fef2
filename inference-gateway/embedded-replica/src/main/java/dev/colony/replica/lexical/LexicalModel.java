package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.replica.lexical.EvidenceRanker.Ranked;
import dev.colony.replica.lexical.Tools.Call;
import dev.colony.replica.lexical.Tools.Taken;
import dev.colony.vcm.words.Words;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Answers prompts by their words. What it does is decided by the reply's schema: {@code evidence}
 * with files and lines is quoted from the pages, {@code answer} with {@code citations} is composed
 * from the numbered passages of the request, {@code keep} with {@code gaps} keeps all of those,
 * {@code queries} are none, since it knows no other words than the question's, any other schema is
 * filled from the best matching sentences, and without a schema those sentences are the answer.
 * Tools are called by the goals of an agent's planner, which may be a plan or a cell of code, or by
 * the points of a request.
 *
 * <p>The same prompt always gets the same reply. Thread-safe. A page costs a few milliseconds the
 * first time, and far less while its analysis is remembered.
 */
public final class LexicalModel {

  private static final int DEFAULT_EVIDENCE = 6;
  private static final Pattern JUDGED =
      Pattern.compile(
          "This has to be true: (.*)\nThis is the result: (.*)\nDoes it hold", Pattern.DOTALL);

  private final PageMemo pages;

  /**
   * @param memoChars analyses of pages are remembered up to this many characters of page text
   */
  public LexicalModel(long memoChars) {
    this.pages = new PageMemo(memoChars);
  }

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
    Matcher judged = JUDGED.matcher(prompt.request());
    if (properties.has("holds") && properties.has("reason") && judged.find()) {
      return judgement(judged.group(1), judged.group(2)).toString();
    }
    return SchemaFiller.fill(schema.get(), Extract.of(prompt)).toString();
  }

  /** Something holds of a result that has half of its words, and is not empty. */
  private static ObjectNode judgement(String criteria, String result) {
    Set<String> said = new HashSet<>(Words.stems(result));
    List<String> missing =
        QueryTerms.of(criteria).terms().stream()
            .map(QueryTerms.Term::stem)
            .filter(stem -> !said.contains(stem))
            .toList();
    boolean holds = !said.isEmpty() && missing.size() * 2 <= QueryTerms.of(criteria).terms().size();
    return JsonNodeFactory.instance
        .objectNode()
        .put("holds", holds)
        .put(
            "reason",
            missing.isEmpty()
                ? "the result says all of it"
                : "the result does not say: " + String.join(", ", missing));
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
    return LexicalPlanner.call(prompt, tools);
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
}
