package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.bench.AgentTrace.Turn;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** What caches can have of a trace at the most. */
class AgentTraceTest {

  private static Turn turn(Long... blocks) {
    return new Turn("s", "main", List.of(blocks), List.of(), 0);
  }

  @Test
  void whatIsWantedLastIsEvictedFirst() {
    AgentTrace trace =
        new AgentTrace(List.of(turn(1L), turn(2L), turn(3L), turn(1L), turn(2L), turn(1L)));
    assertThat(trace.mostHits(3)).isEqualTo(3 / 6.0);
    // 3 is never wanted, 1 before 2
    assertThat(trace.mostHits(2)).isEqualTo(3 / 6.0);
    assertThat(trace.mostHits(1)).isEqualTo(2 / 6.0);
  }

  @Test
  void aBlockBehindOneThatIsMissingIsNoHit() {
    AgentTrace trace = new AgentTrace(List.of(turn(1L, 2L), turn(3L, 2L)));
    assertThat(trace.mostHits(Long.MAX_VALUE)).isZero();
  }

  @Test
  void theTurnBehindOneIsTheNextOfTheSameAgent() {
    AgentTrace trace = AgentTrace.made(1, 3, 10, 1);
    assertThat(trace.turns())
        .extracting(Turn::agent)
        .containsExactly("main", "sub", "sub", "main", "main");
    assertThat(trace.next(0)).hasValue(3);
    assertThat(trace.next(1)).hasValue(2);
    assertThat(trace.next(2)).isEmpty();
    assertThat(trace.next(3)).hasValue(4);
    assertThat(trace.next(4)).isEmpty();
  }

  @Property(tries = 50)
  void moreRoomNeverHasFewerHitsAndEndlessRoomAllThatWereSeen(
      @ForAll @IntRange(min = 1, max = 1000) int seed) {
    AgentTrace trace = AgentTrace.made(5, 4, 10, seed);
    double[] hits = LongStream.of(1, 30, 60, 100, 200, 1000).mapToDouble(trace::mostHits).toArray();
    assertThat(hits).isSorted();
    Set<Long> seen = new HashSet<>();
    double all = 0;
    double had = 0;
    for (Turn one : trace.turns()) {
      had += one.blocks().stream().takeWhile(seen::contains).count();
      all += one.blocks().size();
      seen.addAll(one.blocks());
    }
    assertThat(hits[5]).isEqualTo(had / all, Offset.offset(1e-9));
    assertThat(Arrays.stream(hits).max()).hasValue(trace.mostHits(Long.MAX_VALUE));
  }
}
