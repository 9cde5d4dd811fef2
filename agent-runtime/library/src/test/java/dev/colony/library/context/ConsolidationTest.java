package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Memories become fewer, and nothing that is cited or kept goes. */
class ConsolidationTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final Consolidation USUAL = Consolidation.DEFAULT;

  private static Memory memory(
      int turn, String text, double importance, Duration age, String... tags) {
    Instant at = NOW.minus(age);
    return new Memory("m" + turn, turn, at, at, "note", text, List.of(tags), importance);
  }

  private static Memory old(int turn, String text, String... tags) {
    return memory(turn, text, 0.5, Duration.ofHours(100 - turn), tags);
  }

  private static Consolidation keeping(int most) {
    return new Consolidation(0.8, most, Duration.ofHours(1), 1_000, 200, Salience.DEFAULT);
  }

  @Test
  void whatSaysTheSameBecomesOneWithTheWeightOfAll() {
    Memory first = memory(1, "The disk was full at noon", 0.9, Duration.ofHours(9), "disk");
    Memory again = memory(2, "the disk was full, at noon!", 0.2, Duration.ofHours(5), "log");
    Memory other = old(3, "the service went down");
    List<Consolidation.Step> steps = USUAL.steps(List.of(first, again, other), NOW);
    assertThat(steps)
        .singleElement()
        .satisfies(step -> {
          assertThat(step.replaced()).containsExactlyInAnyOrder(first, again);
          assertThat(step.digest()).isFalse();
          Memory one = step.result();
          assertThat(one.id()).isEqualTo("m1");
          assertThat(one.importance()).isEqualTo(0.9);
          assertThat(one.tags()).containsExactly("disk", "log");
          assertThat(one.at()).isEqualTo(first.at());
          assertThat(one.accessedAt()).isEqualTo(again.accessedAt());
        });
  }

  @Test
  void whatDiffersInAWordOfFewStays() {
    assertThat(USUAL.steps(List.of(old(1, "port 80 is open"), old(2, "port 81 is open")), NOW))
        .isEmpty();
  }

  @Test
  void whatIsYoungCitedOrKeptStays() {
    List<Memory> all =
        List.of(
            memory(1, "the disk was full", 0.5, Duration.ofMinutes(5)),
            memory(2, "the disk was full", 0.5, Duration.ofMinutes(6)),
            old(3, "the fan was loud"),
            old(4, "the fan was loud"),
            old(5, "see m3 and m4."),
            old(6, "the door was open", Consolidation.KEEP),
            old(7, "the door was open"));
    assertThat(USUAL.steps(all, NOW)).isEmpty();
  }

  @Test
  void theLeastSalientBecomeDigests() {
    List<Memory> all = new ArrayList<>();
    for (int i = 1; i <= 30; i++) {
      all.add(memory(i, "event number " + i, i <= 5 ? 1 : 0.1, Duration.ofHours(200 - i), "t" + i));
    }
    List<Consolidation.Step> steps = keeping(12).steps(all, NOW);
    assertThat(steps).hasSize(2).allMatch(Consolidation.Step::digest);
    Set<Memory> gone =
        steps.stream().flatMap(step -> step.replaced().stream()).collect(Collectors.toSet());
    assertThat(gone).noneMatch(memory -> memory.importance() == 1);
    assertThat(all.size() - gone.size() + steps.size()).isLessThanOrEqualTo(12);
    assertThat(steps.getFirst().result().text())
        .startsWith("In short: event number ")
        .hasSizeLessThanOrEqualTo(200);
    assertThat(steps.getFirst().result().kind()).isEqualTo(Consolidation.DIGEST);
  }

  @Property(tries = 300)
  void whateverThereIsItGetsFewerAndLosesNothingProtected(@ForAll("memories") List<Memory> all) {
    List<Consolidation.Step> steps = keeping(5).steps(all, NOW);
    Map<String, Memory> after = new HashMap<>();
    all.forEach(memory -> after.put(memory.id(), memory));
    Set<String> taken = new HashSet<>();
    for (Consolidation.Step step : steps) {
      assertThat(step.replaced()).hasSizeGreaterThanOrEqualTo(2);
      for (Memory gone : step.replaced()) {
        assertThat(taken.add(gone.id())).as("replaced once").isTrue();
        assertThat(gone.tags()).doesNotContain(Consolidation.KEEP);
        assertThat(step.result().importance()).isGreaterThanOrEqualTo(gone.importance());
        after.remove(gone.id());
      }
      assertThat(after.put(step.result().id(), step.result())).isNull();
    }
    assertThat(after.size()).isEqualTo(all.size() - taken.size() + steps.size());
    for (Memory memory : all) {
      all.stream()
          .filter(other -> other != memory && memory.text().contains(other.id() + " "))
          .forEach(cited -> assertThat(after).containsValue(cited));
    }
    assertThat(steps).isEqualTo(keeping(5).steps(all, NOW));
  }

  @Provide
  Arbitrary<List<Memory>> memories() {
    Arbitrary<String> texts =
        Arbitraries.of("disk full", "full disk", "fan loud", "see m1 here", "door open", "x y z");
    Arbitrary<List<String>> tags =
        Arbitraries.of(List.of(), List.of("a"), List.of("b", "c"), List.of(Consolidation.KEEP));
    return Combinators.combine(
            texts, tags, Arbitraries.doubles().between(0, 1), Arbitraries.integers().between(0, 99))
        .as((text, tag, importance, hours) ->
            memory(0, text, importance, Duration.ofHours(hours), tag.toArray(String[]::new)))
        .list()
        .ofMaxSize(40)
        .map(list ->
            IntStream.range(0, list.size())
                .mapToObj(i -> {
                  Memory one = list.get(i);
                  return new Memory(
                      "m" + i,
                      i,
                      one.at(),
                      one.accessedAt(),
                      one.kind(),
                      one.text(),
                      one.tags(),
                      one.importance());
                })
                .toList());
  }

  @Test
  void whatIsOutOfRangeIsRefused() {
    assertThatThrownBy(() -> new Consolidation(0.1, 5, Duration.ZERO, 10, 100, Salience.DEFAULT))
        .hasMessage("similarity is 0.3 to 1, not 0.1");
    assertThatThrownBy(() -> keeping(0)).hasMessage("keep is 0, but must be 1 to 100000");
  }
}
