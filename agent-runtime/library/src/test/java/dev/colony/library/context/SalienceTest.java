package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.library.context.Salience.Relevance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Recency, importance and relevance, each by itself and together. */
class SalienceTest {

  private static final Instant NOW = Instant.parse("2026-01-02T00:00:00Z");

  private static Memory memory(long turn, int minutesAgo, String text, double importance) {
    Instant accessed = NOW.minus(Duration.ofMinutes(minutesAgo));
    return new Memory("m" + turn, turn, accessed, accessed, "note", text, List.of(), importance);
  }

  @Provide
  Arbitrary<List<Memory>> memories() {
    Arbitrary<String> texts =
        Arbitraries.of("bridge", "ferry", "town", "rain", "gulls")
            .list()
            .ofMinSize(1)
            .ofMaxSize(6)
            .map(words -> String.join(" ", words));
    return Combinators.combine(
            Arbitraries.integers().between(0, 100_000),
            texts,
            Arbitraries.integers().between(0, 10))
        .as((minutes, text, importance) -> memory(0, minutes, text, importance / 10.0))
        .list()
        .ofMaxSize(20)
        .map(all ->
            IntStream.range(0, all.size())
                .mapToObj(i -> {
                  Memory one = all.get(i);
                  return new Memory(
                      "m" + i,
                      i + 1,
                      one.at(),
                      one.accessedAt(),
                      one.kind(),
                      one.text(),
                      one.tags(),
                      one.importance());
                })
                .toList());
  }

  @Property
  void rankingIsAPermutationWhateverTheOrder(
      @ForAll("memories") List<Memory> memories, @ForAll long seed) {
    List<Memory> shuffled = new ArrayList<>(memories);
    Collections.shuffle(shuffled, new Random(seed));
    List<Memory> ranked = Salience.DEFAULT.rank(memories, "the bridge", NOW);
    assertThat(ranked).containsExactlyInAnyOrderElementsOf(memories);
    assertThat(Salience.DEFAULT.rank(shuffled, "the bridge", NOW)).isEqualTo(ranked);
  }

  @Property
  void aSingleWeightDecidesAlone(@ForAll("memories") List<Memory> memories) {
    assertThat(new Salience(0, 1, 0, 0.995).rank(memories, "bridge", NOW))
        .isSortedAccordingTo(
            Comparator.comparingDouble(Memory::importance)
                .reversed()
                .thenComparing(Comparator.comparingLong(Memory::turn).reversed()));
    assertThat(new Salience(1, 0, 0, 0.9).rank(memories, "bridge", NOW))
        .isSortedAccordingTo(Comparator.comparing(Memory::accessedAt).reversed());
    List<Memory> relevant = new Salience(0, 0, 1, 0.995).rank(memories, "bridge", NOW);
    long holding = memories.stream().filter(one -> one.text().contains("bridge")).count();
    assertThat(relevant.stream().limit(holding)).allMatch(one -> one.text().contains("bridge"));
  }

  @Test
  void theThreeAreWeighedOnOneScale() {
    Memory recent = memory(1, 0, "rain", 0);
    Memory important = memory(2, 100_000, "rain", 1);
    Memory relevant = memory(3, 100_000, "the bridge", 0);
    List<Memory> all = List.of(recent, important, relevant);
    assertThat(new Salience(3, 2, 1, 0.995).rank(all, "bridge", NOW))
        .containsExactly(recent, important, relevant);
    assertThat(new Salience(1, 2, 3, 0.995).rank(all, "bridge", NOW))
        .containsExactly(relevant, important, recent);
  }

  @Test
  void aClockThatWentBackwardsMakesNothingMoreThanFresh() {
    Memory future = memory(1, -60, "rain", 0);
    Memory now = memory(2, 0, "rain", 0);
    assertThat(Salience.DEFAULT.rank(List.of(future, now), "", NOW)).containsExactly(now, future);
  }

  @Test
  void aRareWordSaysMoreThanACommonOne() {
    double[] scores =
        new Relevance(List.of("the town and the bridge", "the town", "the town", "the ferries"))
            .to("town, bridge or ferry");
    assertThat(scores[0]).isGreaterThan(scores[1]);
    assertThat(scores[1]).isEqualTo(scores[2]).isPositive();
    double[] single =
        new Relevance(List.of("a bridge", "a town", "a town", "a town")).to("bridge town");
    assertThat(single[0]).isGreaterThan(single[1]);
    assertThat(new Relevance(List.of("a", "b")).to("c")).containsExactly(0, 0);
    assertThat(new Relevance(List.of()).to("c")).isEmpty();
    assertThat(new Relevance(List.of("", "c")).to("c")[0]).isZero();
  }
}
