package dev.colony.cli.ask;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunStats;
import dev.colony.agent.research.Answer;
import dev.colony.agent.research.Evidence;
import dev.colony.agent.research.UnreadReasons;
import java.util.Locale;

/**
 * An answered question, for people and for programs.
 *
 * @param stats the coordinator's and its analysts', added up
 */
public record AskReport(
    String runId, Answer answer, RunStats stats, int nodes, int pages, long wallMillis) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  static AskReport of(AskRecord asked, AgentRun run, int nodes, long wallMillis) {
    Answer answer = Answer.fromJson(run.output());
    RunStats stats = run.stats().plus(RunStats.fromJson(answer.analystStats()));
    return new AskReport(asked.runId(), answer, stats, nodes, asked.pages(), wallMillis);
  }

  /** Whether anything in the pages spoke to the question. */
  public boolean answered() {
    return !answer.citations().isEmpty();
  }

  /** The part of the pages that no model answered for, from 0 to 1. */
  public double unreadShare() {
    return answer.unread().isEmpty() ? 0 : (double) answer.unread().size() / asked();
  }

  /** How many pages the question was put to. */
  private int asked() {
    return Math.max(answer.pages() == 0 ? pages : answer.pages(), answer.unread().size());
  }

  /** One object on one line, with the field names that the README documents. */
  public String toJson() {
    ObjectNode json = JSON.createObjectNode();
    json.put("runId", runId);
    json.put("answer", answer.answer());
    ArrayNode citations = json.putArray("citations");
    for (Evidence one : answer.citations()) {
      citations
          .addObject()
          .put("file", one.file())
          .put("line", one.line())
          .put("text", one.text())
          .put("page", one.page())
          .put("agent", one.agent())
          .put("modelCall", one.modelCall());
    }
    ArrayNode unread = json.putArray("unreadPages");
    answer.unread().forEach(unread::add);
    ArrayNode reasons = json.putArray("unreadReasons");
    answer
        .reasons()
        .mostFirst()
        .forEach(one -> reasons.addObject().put("reason", one.reason()).put("pages", one.pages()));
    json.putObject("stats")
        .put("nodes", nodes)
        .put("pages", pages)
        .put("agents", agents())
        .put("steps", stats.steps())
        .put("modelCalls", stats.modelCalls())
        .put("promptTokens", stats.usage().promptTokens())
        .put("cachedTokens", stats.usage().cachedTokens())
        .put("placementHits", stats.placementHits())
        .put("placementMisses", stats.placementMisses())
        .put("wallMillis", wallMillis);
    return json.toString();
  }

  /** The answer, its citations and one line of statistics. */
  public String toText() {
    StringBuilder text = new StringBuilder(answer.answer()).append('\n');
    for (Evidence one : answer.citations()) {
      text.append("  ")
          .append(one.file())
          .append(':')
          .append(one.line())
          .append(":  ")
          .append(one.text().strip())
          .append('\n');
    }
    for (UnreadReasons.Reason one : answer.reasons().mostFirst()) {
      text.append(
          "  %d of %s %s not read: %s%n"
              .formatted(
                  one.pages(),
                  count(asked(), "page"),
                  one.pages() == 1 ? "was" : "were",
                  one.reason()));
    }
    return text.append('\n').append(statistics()).toString();
  }

  private String statistics() {
    long prompt = stats.usage().promptTokens();
    long cached = prompt == 0 ? 0 : Math.round(100.0 * stats.usage().cachedTokens() / prompt);
    return String.format(
        Locale.ROOT,
        "%s on %s · %s · %s · %s prompt tokens, %d%% cached · %.1f s · run %s",
        count(agents(), "agent"),
        count(nodes, "node"),
        count(stats.steps(), "step"),
        count(stats.modelCalls(), "model call"),
        Amount.tokens(prompt),
        cached,
        wallMillis / 1000.0,
        runId);
  }

  private int agents() {
    return 1 + answer.analysts();
  }

  private static String count(int number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
