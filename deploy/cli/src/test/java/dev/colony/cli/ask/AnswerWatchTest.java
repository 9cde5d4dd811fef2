package dev.colony.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.ReplyPart.Kind;
import dev.colony.agent.RunId;
import dev.colony.cli.ask.AnswerPrinter.AnswerWatch;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What the bar says of answers while they are written. */
class AnswerWatchTest {

  private final AnswerWatch watch = new AnswerWatch();

  private void take(String call, int asked, boolean json, Kind kind, long index, String text) {
    watch.take(
        new ReplyPart(
            new AgentId("acme", "lab", "ann"),
            new RunId("r"),
            call,
            Instant.ofEpochMilli(asked),
            "m",
            json,
            kind,
            index,
            text));
  }

  @Test
  void jsonIsCountedOverAllCallsAndNotShown() {
    assertThat(watch.line()).isEmpty();
    take("a", 1, true, Kind.TEXT, 0, "x".repeat(400));
    take("b", 1, true, Kind.TEXT, 4_000, "x".repeat(400));
    assertThat(watch.line()).isEqualTo("writing: 1.2 k tokens");
    take("b", 1, true, Kind.ENDED, 4_400, "");
    assertThat(watch.line()).isEqualTo("writing: 100 tokens");
    take("a", 2, true, Kind.ASKED, 0, "");
    assertThat(watch.line()).as("the attempt is void").isEmpty();
  }

  @Test
  void reasoningIsToldApart() {
    take("a", 1, true, Kind.REASONING, 0, "x".repeat(80));
    assertThat(watch.line()).isEqualTo("thinking: 20 tokens");
    take("a", 1, true, Kind.TEXT, 0, "x".repeat(8));
    assertThat(watch.line()).isEqualTo("writing: 2 tokens");
  }

  @Test
  void ofATextTheEndOfItsLastLineIsShownOnOneShortLine() {
    take("a", 1, false, Kind.TEXT, 0, "one\ntwo ");
    assertThat(watch.line()).isEqualTo("two");
    take("a", 1, false, Kind.TEXT, 8, "three " + "and so on ".repeat(9) + "to the end\u0007");
    assertThat(watch.line()).endsWith("to the end\\u0007").hasSizeLessThanOrEqualTo(32);
  }
}
