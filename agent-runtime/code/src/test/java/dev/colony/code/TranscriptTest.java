package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** The cells so far, as messages. */
class TranscriptTest {

  private static final int ROOM = 1_000_000;

  private final ObjectNode entries = JsonNodeFactory.instance.objectNode();

  private static Transcript.Turn cell(String source, String shown) {
    return new Transcript.Turn(
        Optional.of(source), Optional.empty(), shown, Set.of("of_" + source.length()));
  }

  private static String text(List<ChatMessage> messages) {
    StringBuilder text = new StringBuilder();
    messages.forEach(one -> text.append('\u0000').append(one));
    return text.toString();
  }

  @Test
  void cellsStandAsTheModelHasAskedForThem() {
    Transcript transcript = new Transcript(entries, ROOM);
    transcript.add(cell("a", "1"));
    transcript.add(new Transcript.Turn(Optional.empty(), Optional.empty(), "news", Set.of()));
    transcript.add(new Transcript.Turn(Optional.of("b"), Optional.of("t7"), "2", Set.of()));
    List<ChatMessage> messages = transcript.messages("go", "now");
    assertThat(messages.get(0)).isEqualTo(new ChatMessage.User("go"));
    assertThat(messages.get(1)).isEqualTo(new ChatMessage.Assistant("```js\na\n```", List.of()));
    assertThat(messages.get(2)).isEqualTo(new ChatMessage.User("1\n\nnews"));
    assertThat(messages.get(3).toString()).contains("t7", "run_cell", "{\"code\":\"b\"}");
    assertThat(messages.get(4)).isEqualTo(new ChatMessage.ToolResult("t7", "2"));
    assertThat(messages.get(5)).isEqualTo(new ChatMessage.User("now"));
    assertThat(messages).hasSize(6);
  }

  /** What stands before what changes is the beginning of all later conversations. */
  @Property(tries = 50)
  void itGrowsAtItsEnd(
      @ForAll @Size(max = 8) List<@AlphaChars @StringLength(min = 1, max = 30) String> outputs) {
    ObjectNode own = JsonNodeFactory.instance.objectNode();
    Transcript transcript = new Transcript(own, ROOM);
    String before = text(transcript.messages("go", ""));
    for (String output : outputs) {
      transcript.add(cell("x" + output, output));
      String after = text(transcript.messages("go", ""));
      // The last message is written with a bracket at its end, behind the room for what changes.
      assertThat(after).startsWith(before.replaceFirst("\\s*]$", ""));
      before = after;
    }
  }

  @Property(tries = 30)
  void itKeepsWithinItsTokens(@ForAll @IntRange(min = 100, max = 400) int tokens) {
    ObjectNode own = JsonNodeFactory.instance.objectNode();
    Transcript transcript = new Transcript(own, tokens);
    int dropped = 0;
    for (int i = 0; i < 60; i++) {
      transcript.add(cell("print(" + i + ")", "cell " + i + " has printed this"));
      long shown =
          own.properties().stream().filter(one -> one.getKey().startsWith("#turn.")).count();
      dropped += shown < i + 1 ? 1 : 0;
      assertThat(shown).isBetween(1L, (long) tokens);
      assertThat(text(transcript.messages("go", "now"))).contains("cell " + i + " has printed");
    }
    assertThat(dropped).isPositive();
    assertThat(text(transcript.messages("go", "now")))
        .contains("earlier turns are not shown any more")
        .doesNotContain("cell 0 has");
  }
}
