package dev.colony.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.ReplyPart.Kind;
import dev.colony.agent.RunId;
import dev.colony.cli.ask.AnswerPrinter.AnswerText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What is printed of an answer while a model writes it. */
class AnswerPrinterTest {

  private static final AgentId COORDINATOR = new AgentId("local", "default", "coordinator-r-1");
  private static final Instant ASKED = Instant.parse("2026-11-26T00:00:00Z");

  private final StringBuilder out = new StringBuilder();
  private final AnswerPrinter printer = new AnswerPrinter(COORDINATOR, out::append);

  private static ReplyPart part(AgentId agent, String call, Instant asked, long at, String text) {
    return new ReplyPart(agent, new RunId("r-1"), call, asked, "m", true, Kind.TEXT, at, text);
  }

  private static ObjectNode reply(String answer) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.putArray("citations").addObject().put("answer", "no").put("evidence", 1);
    json.putObject("more").put("answer", "neither");
    return json.put("answer", answer).put("after", "answer");
  }

  @Property(tries = 300)
  void theAnswerIsPrintedAsItComesHoweverItIsCut(
      @ForAll String text, @ForAll @IntRange(min = 1, max = 40) int piece) {
    String json = reply(text).toString();
    AnswerText answer = new AnswerText();
    StringBuilder seen = new StringBuilder();
    for (int at = 0; at < json.length(); at += piece) {
      seen.append(answer.take(json.substring(at, Math.min(json.length(), at + piece))));
    }
    assertThat(seen.toString())
        .isEqualTo(text.replace('\r', ' ').replace('\b', ' ').replace('\f', ' '));
    assertThat(answer.ended()).isTrue();
  }

  @Test
  void onlyTheCoordinatorsAnswerIsPrinted() {
    AgentId analyst = new AgentId("local", "default", "analyst-x");
    printer.take(part(analyst, "read", ASKED, 0, "{\"answer\":\"a page\"}"));
    printer.take(part(COORDINATOR, "words", ASKED, 0, "{\"queries\":[\"x\"]}"));
    printer.take(part(COORDINATOR, "compose", ASKED, 0, "{\"answer\":\"It is "));
    printer.take(part(COORDINATOR, "compose", ASKED, 17, "here\\u001b\"}"));
    assertThat(out).hasToString("It is here\\u001b");
    assertThat(printer.printed()).isEqualTo("It is here\u001b");
  }

  @Property(tries = 100)
  void linesOfPassagesArePrintedByTheNumbersOfTheReport(
      @ForAll @IntRange(min = 1, max = 40) int piece) {
    StringBuilder printed = new StringBuilder();
    AnswerPrinter one = new AnswerPrinter(COORDINATOR, printed::append);
    String json =
        reply("It moves [3:7-9], takes [1:4] and moves [3:7-9, 2:1-2], [2:1-2][1:4].").toString();
    for (int at = 0; at < json.length(); at += piece) {
      String text = json.substring(at, Math.min(json.length(), at + piece));
      one.take(part(COORDINATOR, "read", ASKED, at, text));
    }
    assertThat(printed).hasToString("It moves [1], takes [2] and moves [1][3], [3][2].");
  }

  @Property(tries = 100)
  void aTextIsPrintedOnceItCitesLines(@ForAll @IntRange(min = 1, max = 40) int piece) {
    StringBuilder printed = new StringBuilder();
    AnswerPrinter one = new AnswerPrinter(COORDINATOR, printed::append);
    for (String reply : List.of("I look at [2] first.", "\nIt moves [3:7-9] and waits [1:4].")) {
      for (int at = 0; at < reply.length(); at += piece) {
        String text = reply.substring(at, Math.min(reply.length(), at + piece));
        one.take(
            new ReplyPart(
                COORDINATOR, new RunId("r-1"), reply, ASKED, "m", false, Kind.TEXT, at, text));
      }
    }
    assertThat(printed).hasToString("It moves [1] and waits [2].");
  }

  @Property(tries = 100)
  void numbersOfPassagesAreNotPrintedAndIndexesAre(@ForAll @IntRange(min = 1, max = 40) int piece) {
    StringBuilder printed = new StringBuilder();
    AnswerPrinter one = new AnswerPrinter(COORDINATOR, printed::append);
    String json =
        reply("`buckets[3]`, `grid[1][2]`, `at()[0]`, [a] and [1, b] stay; [2] and [1, 2][14] go")
            .toString();
    for (int at = 0; at < json.length(); at += piece) {
      String text = json.substring(at, Math.min(json.length(), at + piece));
      one.take(part(COORDINATOR, "compose", ASKED, at, text));
    }
    assertThat(printed)
        .hasToString("`buckets[3]`, `grid[1][2]`, `at()[0]`, [a] and [1, b] stay;  and  go");
  }

  @Test
  void ofACallThatIsMadeAgainNoMoreIsPrinted() {
    printer.take(part(COORDINATOR, "compose", ASKED, 0, "{\"answer\":\"It is "));
    printer.take(part(COORDINATOR, "compose", ASKED.plusSeconds(1), 0, "{\"answer\":\"No\"}"));
    printer.take(part(COORDINATOR, "compose", ASKED, 17, "here\"}"));
    assertThat(out).hasToString("It is ");
  }

  @Test
  void whereAPieceIsMissingNothingBehindItIsTakenForTheAnswer() {
    printer.take(part(COORDINATOR, "compose", ASKED, 5, "wer\":\"It is "));
    printer.take(part(COORDINATOR, "compose", ASKED, 17, "{\"answer\":\"x\"}"));
    List<String> printed = new ArrayList<>();
    new AnswerPrinter(COORDINATOR, printed::add)
        .take(part(COORDINATOR, "compose", ASKED, 0, "no JSON \"answer\": \"x\""));
    assertThat(out).isEmpty();
    assertThat(printed).isEmpty();
  }
}
