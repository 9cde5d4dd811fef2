package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import dev.colony.inference.gateway.EstimatedResidency.ResidencyEstimate;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ResidencyEstimateTest {

  private final ResidencyEstimate estimate = new ResidencyEstimate(300);

  @Test
  void pagesOfAnsweredCallsAreResidentUpToTheCapacity() {
    assertThat(answered(OptionalLong.empty(), "a", "b")).isTrue();
    assertThat(answered(OptionalLong.empty(), "a", "b")).isFalse();
    assertThat(answered(OptionalLong.empty(), "c", "d")).isTrue();
    assertThat(ids()).containsExactly("b", "c", "d");
  }

  @Test
  void usingAPageAgainKeepsIt() {
    answered(OptionalLong.empty(), "a");
    answered(OptionalLong.empty(), "b");
    answered(OptionalLong.empty(), "c");
    answered(OptionalLong.empty(), "a");
    answered(OptionalLong.empty(), "d");
    assertThat(ids()).containsExactlyInAnyOrder("c", "a", "d");
  }

  @Test
  void aMissDropsThePageAndAllUsedLessRecently() {
    answered(OptionalLong.of(0), "a");
    answered(OptionalLong.of(0), "b");
    answered(OptionalLong.of(0), "c");
    assertThat(answered(OptionalLong.of(0), "b")).isTrue();
    assertThat(ids()).containsExactly("c");
    answered(OptionalLong.of(0), "b");
    assertThat(ids()).containsExactlyInAnyOrder("b", "c");
  }

  @Test
  void aHitKeepsThePageEvenIfTheServerCountsOtherTokens() {
    answered(OptionalLong.of(0), "a", "b");
    // 150 tokens by the server's count where we count 200; all of them cached.
    estimate.answered(pages("a", "b"), new Usage(150, 144, 1), OptionalLong.of(144));
    assertThat(ids()).containsExactly("a", "b");
  }

  @Test
  void aHitOnTheFirstPageAndAMissOnTheSecond() {
    answered(OptionalLong.of(0), "a", "b");
    answered(OptionalLong.of(100), "b", "a");
    assertThat(ids()).containsExactly("b");
  }

  @Test
  void clearingForgetsEverything() {
    assertThat(estimate.clear()).isFalse();
    answered(OptionalLong.empty(), "a");
    assertThat(estimate.clear()).isTrue();
    assertThat(ids()).isEmpty();
  }

  @Property
  void theCapacityIsNeverExceeded(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 9) Integer> calls,
      @ForAll @IntRange(min = 0, max = 200) int cached) {
    ResidencyEstimate bounded = new ResidencyEstimate(350);
    for (int page : calls) {
      bounded.answered(
          pages("p" + page, "q" + page % 3), new Usage(200, cached, 1), OptionalLong.of(cached));
      assertThat(bounded.pages().values().stream().mapToInt(tokens -> tokens).sum())
          .isLessThanOrEqualTo(350);
    }
  }

  private boolean answered(OptionalLong cached, String... ids) {
    return estimate.answered(pages(ids), new Usage(100L * ids.length, cached.orElse(0), 1), cached);
  }

  private static List<PromptPage> pages(String... ids) {
    return Stream.of(ids).map(id -> new PromptPage(id, "", 100)).toList();
  }

  private List<String> ids() {
    return List.copyOf(estimate.pages().keySet());
  }
}
