package dev.colony.testkit.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.BoardModel;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.BoardProperties;
import dev.colony.blackboard.BoardStep;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The in-memory backend against a model, while its clock goes on, stands and goes back. */
class MemoryModelTest {

  /**
   * @param pause how many milliseconds the clock goes on before it; less than 0: back
   */
  record Timed(long pause, BoardStep step) {}

  @Property(tries = 500)
  void backendDoesWhatTheModelDoes(
      @ForAll("steps") List<Timed> steps, @ForAll("evictions") Optional<Eviction> eviction) {
    SettableClock clock = new SettableClock();
    BlackboardSettings unswept =
        BlackboardSettings.DEFAULTS.withExpiryInterval(Duration.ofHours(1));
    try (InMemoryBlackboards blackboards = new InMemoryBlackboards(unswept, clock)) {
      Scope scope = Scope.tenant("t");
      Blackboard board =
          blackboards.open(
              scope, "w", eviction.map(BoardPolicies.NONE::eviction).orElse(BoardPolicies.NONE));
      // Its reads do not count as use.
      Blackboard observer = blackboards.open(scope, "observer");
      BoardModel model = new BoardModel(eviction);
      for (Timed timed : steps) {
        clock.pass(timed.pause());
        model.expire(clock.instant());
        String expected = timed.step().on(model, clock.instant());
        assertThat(timed.step().on(board)).isEqualTo(expected);
        assertThat(BoardProperties.entries(observer)).isEqualTo(model.entries());
        assertThat(BoardProperties.events(observer)).isEqualTo(model.events());
      }
      assertPositions(
          observer
              .history(EventFilter.all(), Position.BEGINNING, 1_000)
              .toCompletableFuture()
              .join());
    }
  }

  private static void assertPositions(List<BlackboardEvent> events) {
    Position before = Position.BEGINNING;
    for (BlackboardEvent event : events) {
      assertThat(event.position()).isGreaterThan(before);
      assertThat(event.position().ordinal()).isEqualTo(before.ordinal() + 1);
      assertThat(event.position().millis())
          .isEqualTo(Math.max(before.millis(), event.at().toEpochMilli()));
      before = event.position();
    }
  }

  @Provide
  Arbitrary<List<Timed>> steps() {
    Arbitrary<Long> pauses = Arbitraries.of(0L, 0L, 0L, 1L, 7L, 40L, -5L);
    return Combinators.combine(pauses, BoardStep.any(1L, 10L, 30L, 100L))
        .as(Timed::new)
        .list()
        .ofMaxSize(40);
  }

  @Provide
  Arbitrary<Optional<Eviction>> evictions() {
    return Combinators.combine(
            Arbitraries.of(Eviction.Order.class), Arbitraries.integers().between(1, 4))
        .as(Eviction::new)
        .optional(0.7);
  }
}
