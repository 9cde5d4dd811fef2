package dev.colony.bench.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.bench.query.LoadedAhead.Figures;
import dev.colony.bench.query.LoadedAhead.Turn;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A cache of pages into which some are loaded ahead. */
class LoadedAheadTest {

  private static final PageId A = page('a');
  private static final PageId B = page('b');
  private static final PageId C = page('c');
  private static final Map<PageId, Integer> SIZES = Map.of(A, 100, B, 100, C, 100);

  private static PageId page(char letter) {
    return new PageId(("" + letter).repeat(26));
  }

  private static Turn reads(PageId... pages) {
    return new Turn(List.of(pages), List.of());
  }

  private static Figures played(long capacity, boolean room, LoadedAhead.Choice choice) {
    return LoadedAhead.of(
        List.of(List.of(reads(A), reads(B), reads(A))), SIZES, capacity, room, choice);
  }

  @Test
  void withoutLoadsOnlyWhatWasReadBeforeIsCached() {
    assertThat(played(1_000, false, (turn, cached) -> List.of()))
        .isEqualTo(new Figures(1 / 3.0, 0, 0));
    assertThat(played(100, false, (turn, cached) -> List.of()))
        .as("pushed out by the page between")
        .isEqualTo(new Figures(0, 0, 0));
  }

  @Test
  void aPageThatIsLoadedBeforeItIsReadIsAHitAndUsedOnce() {
    assertThat(played(1_000, false, (turn, cached) -> List.of(B)))
        .isEqualTo(new Figures(2 / 3.0, 1, 1));
    assertThat(played(1_000, false, (turn, cached) -> List.of(C)))
        .as("read by none")
        .isEqualTo(new Figures(1 / 3.0, 1, 0));
  }

  @Test
  void aLoadPushesOthersOutUnlessItMayNot() {
    List<List<Turn>> twice = List.of(List.of(reads(A), reads(B), reads(A), reads(B)));
    LoadedAhead.Choice useless = (turn, cached) -> List.of(C);
    assertThat(LoadedAhead.of(twice, SIZES, 200, false, useless).hits())
        .as("there is no room for all three, and one of them is read by none")
        .isZero();
    assertThat(LoadedAhead.of(twice, SIZES, 200, true, useless))
        .as("once it is gone, it is not loaded again")
        .isEqualTo(new Figures(1 / 4.0, 1, 0));
    assertThat(played(100, true, (turn, cached) -> List.of(B))).isEqualTo(new Figures(0, 0, 0));
  }
}
