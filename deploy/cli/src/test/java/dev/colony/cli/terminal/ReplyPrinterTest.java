package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.ReplyPart;
import dev.colony.agent.ReplyPart.Kind;
import dev.colony.agent.RunId;
import dev.colony.cli.terminal.RunFollower.ReplyPrinter;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What a terminal shows of answers while they are written. */
class ReplyPrinterTest {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final ReplyPrinter printer =
      new ReplyPrinter(new PrintStream(bytes, true, StandardCharsets.UTF_8));

  private void take(String call, int asked, boolean json, Kind kind, long index, String text) {
    printer.take(
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

  private String shown() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aTextStandsThereAsItIsWrittenAndDoesNothingToTheTerminal() {
    take("a", 1, false, Kind.ASKED, 0, "");
    take("a", 1, false, Kind.TEXT, 0, "Bow\n");
    take("a", 1, false, Kind.TEXT, 4, "is \u001b[2J");
    take("a", 1, false, Kind.ENDED, 11, "");
    assertThat(shown()).isEqualTo("ann, m: Bow\nis \\u001b[2J\n");
  }

  @Test
  void whatWasMissedIsMarked() {
    take("a", 1, false, Kind.TEXT, 3, "late");
    take("a", 1, false, Kind.TEXT, 9, "later");
    take("a", 1, false, Kind.ENDED, 14, "");
    assertThat(shown()).isEqualTo("ann, m: [...]late[...]later\n");
  }

  @Test
  void reasoningIsToldApartAndJsonIsCounted() {
    take("a", 1, true, Kind.REASONING, 0, "x".repeat(400));
    take("a", 1, true, Kind.TEXT, 0, "{\"secret\": 1}");
    take("a", 1, true, Kind.ENDED, 400, "");
    assertThat(shown()).isEqualTo("ann, m: 100 tokens of reasoning\nann, m: 100 tokens of JSON\n");
  }

  @Test
  void anAttemptThatIsMadeAgainBeginsOnALineOfItsOwn() {
    take("a", 1, false, Kind.TEXT, 0, "void");
    take("a", 2, false, Kind.ASKED, 0, "");
    take("a", 2, false, Kind.TEXT, 0, "valid");
    take("a", 2, false, Kind.ENDED, 5, "");
    assertThat(shown()).isEqualTo("ann, m: void\nann, m: valid\n");
  }

  @Test
  void ofCallsAtOnceOneIsShownAtATime() {
    take("a", 1, false, Kind.TEXT, 0, "one");
    take("b", 1, false, Kind.TEXT, 0, "other");
    take("a", 1, false, Kind.TEXT, 3, "two");
    take("b", 1, false, Kind.ENDED, 5, "");
    take("a", 1, false, Kind.ENDED, 6, "");
    take("c", 1, false, Kind.TEXT, 0, "next");
    printer.endLine();
    assertThat(shown()).isEqualTo("ann, m: onetwo\nann, m: next\n");
  }
}
