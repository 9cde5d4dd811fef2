package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.chaos.Fault.Kind;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** What is drawn from a seed. */
class ScheduleTest {

  private static final int MANY = 60;
  private static final Duration FREEZE = Duration.ofSeconds(9);

  @Property(tries = 100)
  void theSameSeedGivesTheSameFaults(@ForAll long seed) {
    assertThat(nodes(seed)).isEqualTo(nodes(seed));
    assertThat(redis(seed)).isEqualTo(redis(seed));
    assertThat(nodes(seed)).isNotEqualTo(nodes(seed + 1));
  }

  @Property(tries = 100)
  void noKindComesAgainBeforeAllHaveCome(@ForAll long seed) {
    assertRounds(nodes(seed), Schedule.OF_NODES);
    assertRounds(redis(seed), Schedule.OF_REDIS);
  }

  @Property(tries = 100)
  void victimsExistAndAreAllHitInTheLongRun(@ForAll long seed) {
    assertThat(nodes(seed)).extracting(Fault::node).containsOnly(0, 1, 2);
    assertThat(redis(seed)).extracting(Fault::node).containsOnly(0);
  }

  @Property(tries = 100)
  void aFrozenNodeStaysSoUntilItIsRemoved(@ForAll long seed) {
    assertThat(nodes(seed))
        .filteredOn(fault -> fault.kind() == Kind.FREEZE)
        .hasSize(MANY / Schedule.OF_NODES.size())
        .extracting(Fault::lasts)
        .allMatch(lasts -> lasts.compareTo(FREEZE) >= 0)
        .allMatch(lasts -> lasts.compareTo(FREEZE.plusSeconds(5)) < 0);
  }

  private static void assertRounds(List<Fault> faults, List<Kind> kinds) {
    for (int first = 0; first < MANY; first += kinds.size()) {
      assertThat(faults.subList(first, first + kinds.size()))
          .extracting(Fault::kind)
          .containsExactlyInAnyOrderElementsOf(kinds);
    }
  }

  private static List<Fault> nodes(long seed) {
    return take(Schedule.ofNodes(seed, 3, FREEZE));
  }

  private static List<Fault> redis(long seed) {
    return take(Schedule.ofRedis(seed));
  }

  private static List<Fault> take(Iterator<Fault> faults) {
    return Stream.generate(faults::next).limit(MANY).toList();
  }
}
