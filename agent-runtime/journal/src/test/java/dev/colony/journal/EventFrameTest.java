package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class EventFrameTest {

  private static final EventFrame.Event EVENT =
      new EventFrame.Event("w", 5, 7, "manifest", "adapter", new byte[] {1, 2, 3});

  @Property(tries = 200)
  void anEventComesBackAsItWas(
      @ForAll @StringLength(max = 50) String writer,
      @ForAll long timestamp,
      @ForAll int serializer,
      @ForAll @StringLength(max = 50) String manifest,
      @ForAll @StringLength(max = 50) String adapter,
      @ForAll byte[] payload) {
    EventFrame.Event event =
        new EventFrame.Event(
            wellFormed(writer),
            timestamp,
            serializer,
            wellFormed(manifest),
            wellFormed(adapter),
            payload);
    assertThat(EventFrame.decode(event.encode())).isEqualTo(event);
  }

  @Property(tries = 50)
  void aGapComesBackAsItWas(@ForAll long timestamp, @ForAll @StringLength(max = 50) String reason) {
    EventFrame.Gap gap = new EventFrame.Gap("writer", timestamp, wellFormed(reason));
    assertThat(EventFrame.decode(gap.encode())).isEqualTo(gap);
  }

  @Property(tries = 50)
  void aFrameCutWithinItsHeaderIsRefused(@ForAll @IntRange(max = 35) int length) {
    assertThatThrownBy(() -> EventFrame.decode(Arrays.copyOf(EVENT.encode(), length)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anUnknownVersionIsRefused() {
    byte[] later = EVENT.encode();
    later[0] = 2;
    assertThatThrownBy(() -> EventFrame.decode(later))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("version 2");
  }

  /** Lone surrogates have no UTF-8 form. */
  private static String wellFormed(String text) {
    return new String(
        text.getBytes(java.nio.charset.StandardCharsets.UTF_8),
        java.nio.charset.StandardCharsets.UTF_8);
  }
}
