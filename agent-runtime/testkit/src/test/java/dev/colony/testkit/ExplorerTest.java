package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The explorer over systems whose states can be counted by hand. */
class ExplorerTest {

  /** A place on a grid. */
  private record Place(int x, int y) {

    List<Place> next() {
      return List.of(new Place(x + 1, y), new Place(x, y + 1));
    }
  }

  private static Explorer<Place> grid() {
    return Explorer.of(new Place(0, 0), Place::next);
  }

  @Test
  void eachStateIsVisitedOnce() {
    Explorer.Result result = grid().explore(3);
    // One place on the first diagonal, two on the second, and so on; two ways out of each.
    assertThat(result).isEqualTo(new Explorer.Result(1 + 2 + 3 + 4, 2 * (1 + 2 + 3)));
  }

  @Test
  void aSystemThatEndsIsExploredToItsEnd() {
    assertThat(Explorer.of(3, n -> n == 0 ? List.of() : List.of(n - 1, 0)).explore(100).states())
        .isEqualTo(4);
  }

  @Test
  void whatDoesNotHoldIsNamedWithAShortestWayThere() {
    assertThatThrownBy(() ->
            grid()
                .invariant("it is on the grid", place -> assertThat(place.x()).isNotNegative())
                .invariant("it stays near", place -> assertThat(place.x()).isLessThan(2))
                .explore(5))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("this does not hold after 2 moments: it stays near\n")
        .hasMessageEndingWith(
            "the way there:\n  Place[x=0, y=0]\n  Place[x=1, y=0]\n  Place[x=2, y=0]");
  }

  @Test
  void aStateWhoseSuccessorsCannotBeToldIsNamedToo() {
    assertThatThrownBy(() -> Explorer.of(1, n -> List.of(1 / (n - 1))).explore(1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("what follows can be told\n/ by zero");
  }
}
