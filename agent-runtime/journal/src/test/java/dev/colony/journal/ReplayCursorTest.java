package dev.colony.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.journal.JournalException.DamagedLogException;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ReplayCursorTest {

  private static final int BATCH = 10;

  @Test
  void aFullBatchGoesOnBehindItsLastEntry() {
    ReplayCursor.Step step = from(1).advance(view(20, 0, LongStream.rangeClosed(1, 10)), BATCH);
    assertThat(numbers(step)).isEqualTo(LongStream.rangeClosed(1, 10).boxed().toList());
    assertThat(step.cursor().next()).isEqualTo(11);
    assertThat(step.cursor().isDone()).isFalse();
  }

  @Test
  void aShortBatchThatReachesTheEndIsTheLast() {
    ReplayCursor.Step step = from(3).advance(view(5, 0, LongStream.rangeClosed(3, 5)), BATCH);
    assertThat(numbers(step)).containsExactly(3L, 4L, 5L);
    assertThat(step.cursor().isDone()).isTrue();
  }

  @Test
  void deletedNumbersAreNoHole() {
    ReplayCursor.Step step = from(1).advance(view(5, 3, LongStream.rangeClosed(4, 5)), BATCH);
    assertThat(numbers(step)).containsExactly(4L, 5L);
  }

  @Test
  void whatWasDeletedBetweenTwoBatchesIsNoHole() {
    ReplayCursor.Step step = from(11).advance(view(30, 25, LongStream.rangeClosed(26, 30)), BATCH);
    assertThat(numbers(step)).startsWith(26L);
  }

  @Test
  void aLogOfWhichAllIsDeletedReplaysNothing() {
    LogView view = new LogView(5, 5, "w", 0, List.of(), 0, Optional.empty());
    assertThat(from(1).advance(view, BATCH).cursor().isDone()).isTrue();
  }

  @Test
  void gapMarkersAreSkipped() {
    LogView view =
        new LogView(3, 0, "w", 3, List.of(entry(1), gap(2), entry(3)), 0, Optional.empty());
    assertThat(numbers(from(1).advance(view, BATCH))).containsExactly(1L, 3L);
  }

  @Test
  void gapMarkersDoNotCountAsEvents() {
    LogView view =
        new LogView(3, 0, "w", 3, List.of(gap(1), entry(2), entry(3)), 0, Optional.empty());
    assertThat(numbers(new ReplayCursor("p", 1, 99, 1).advance(view, BATCH))).containsExactly(2L);
  }

  @Test
  void holesAreDamage() {
    assertDamaged(view(5, 0, LongStream.of(1, 2, 4, 5)), "sequence number 3 is missing");
    assertDamaged(view(5, 0, LongStream.of(2, 3, 4, 5)), "sequence number 1 is missing");
    assertDamaged(
        new LogView(5, 0, "w", 5, List.of(entry(1), entry(2)), 0, Optional.empty()),
        "sequence number 3 is missing");
    assertDamaged(view(5, 2, LongStream.of(4, 5)), "sequence number 3 is missing");
  }

  @Test
  void aStreamThatEndsElsewhereThanItsMetaHashIsDamage() {
    assertDamaged(new LogView(5, 0, "w", 4, List.of(), 0, Optional.empty()), "ends at 5");
    assertDamaged(new LogView(0, 0, "", 4, List.of(), 0, Optional.empty()), "ends at 0");
    assertDamaged(new LogView(5, 0, "w", 0, List.of(), 0, Optional.empty()), "ends at 5");
  }

  @Test
  void anUnreadableEntryIsDamage() {
    LogView view =
        new LogView(
            1, 0, "w", 1, List.of(new LogView.Entry(1, new byte[] {9})), 0, Optional.empty());
    assertDamaged(view, "entry 1");
  }

  private static void assertDamaged(LogView view, String message) {
    assertThatThrownBy(() -> from(1).advance(view, BATCH))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining("log of p is damaged")
        .hasMessageContaining(message);
  }

  private static ReplayCursor from(long next) {
    return new ReplayCursor("p", next, Long.MAX_VALUE - 1, Long.MAX_VALUE);
  }

  private static LogView view(long last, long deleted, LongStream entries) {
    return new LogView(
        last,
        deleted,
        "w",
        last,
        entries.mapToObj(ReplayCursorTest::entry).toList(),
        0,
        Optional.empty());
  }

  private static LogView.Entry entry(long number) {
    return new LogView.Entry(number, new EventFrame.Event("w", 0, 1, "", "", new byte[0]).encode());
  }

  private static LogView.Entry gap(long number) {
    return new LogView.Entry(number, new EventFrame.Gap("w", 0, "why").encode());
  }

  private static List<Long> numbers(ReplayCursor.Step step) {
    return step.events().stream().map(ReplayCursor.Replayed::sequenceNr).toList();
  }
}
