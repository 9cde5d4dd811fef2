package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.blackboard.Position;
import dev.colony.client.RunPlace.StreamToken;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.StringLength;

/** A token travels as text, and is of one run only. */
class StreamTokenTest {

  private static final long MOST = 999_999_999_999_999_999L;

  @Property
  void aTokenIsReadBack(
      @ForAll @LongRange(max = MOST) long millis,
      @ForAll @LongRange(max = MOST) long ordinal,
      @ForAll @LongRange(max = MOST) long count,
      @ForAll @AlphaChars @StringLength(min = 1, max = 20) String run) {
    StreamToken token = new StreamToken(new Position(millis, ordinal), count);
    String text = token.text(place(run));
    assertThat(text).hasSizeLessThanOrEqualTo(100);
    assertThat(StreamToken.parse(text, place(run))).isEqualTo(token);
    assertThatThrownBy(() -> StreamToken.parse(text, place(run + "x")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void aTextThatIsNoneIsRefused(@ForAll String text) {
    assertThatThrownBy(() -> StreamToken.parse(text, place("r")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void aCutTokenIsRefused(@ForAll @IntRange(max = 30) int length) {
    String text = new StreamToken(new Position(1_718_000_000_000L, 42), 7).text(place("r"));
    if (length < text.length()) {
      assertThatThrownBy(() -> StreamToken.parse(text.substring(0, length), place("r")))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static RunPlace place(String run) {
    return RunPlace.of(
        new AgentId("acme", "lab", "a"),
        new RunId(run),
        RunOptions.namespace("work"),
        Optional.empty());
  }
}
