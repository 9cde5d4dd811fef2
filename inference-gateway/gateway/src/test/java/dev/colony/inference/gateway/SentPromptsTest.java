package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.gateway.SentPrompts.Beginning;
import dev.colony.inference.replicas.PromptBlocks;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SentPromptsTest {

  private static final InferenceRequest ONE = request("one");
  private static final InferenceRequest TWO = request("two");

  private final SentPrompts prompts = new SentPrompts(3, 1_000_000);

  @Test
  void aPromptIsFoundByAnyOfItsBeginningsAtItsReplicaOnly() {
    prompts.answered("a", ONE, blocks(1, 2, 3), 0);
    assertThat(prompts.beginning("a", chain(1, 2))).contains(new Beginning(ONE, 2));
    assertThat(prompts.beginning("a", chain(1, 2, 3))).contains(new Beginning(ONE, 3));
    assertThat(prompts.beginning("b", chain(1, 2))).isEmpty();
    assertThat(prompts.beginning("a", chain(1, 9))).isEmpty();
    assertThat(prompts.beginning("a", chain(1, 2, 3, 4))).isEmpty();
    assertThat(prompts.beginning("a", chain())).isEmpty();
  }

  @Test
  void aPromptTakesThePlaceOfThoseThatItGoesOnFrom() {
    prompts.answered("a", ONE, blocks(1, 2), 0);
    prompts.answered("a", TWO, blocks(1, 2, 3), 0);
    assertThat(prompts.size()).isEqualTo(1);
    assertThat(prompts.beginning("a", chain(1, 2))).contains(new Beginning(TWO, 2));
    prompts.answered("a", ONE, blocks(1, 7), 0);
    assertThat(prompts.size()).isEqualTo(2);
  }

  @Test
  void whatIsGivenUpAtAPromptsEndIsGivenUpOnce() {
    prompts.answered("a", ONE, blocks(1, 2, 3, 4), 0);
    assertThat(prompts.givenUp("a", chain(3, 4), page -> false)).contains(new Beginning(ONE, 2));
    assertThat(prompts.givenUp("a", chain(3, 4), page -> false)).isEmpty();
    assertThat(prompts.givenUp("a", chain(2), page -> false)).contains(new Beginning(ONE, 1));
    assertThat(prompts.givenUp("a", chain(9), page -> false)).isEmpty();
    prompts.answered("b", TWO, blocks(5, 6), 0);
    assertThat(prompts.givenUp("a", chain(6), page -> false)).isEmpty();
    assertThat(prompts.givenUp("b", chain(5, 6), page -> false)).contains(new Beginning(TWO, 0));
  }

  @Test
  void beyondTheBoundsTheOldestIsForgotten() {
    for (int i = 0; i < 5; i++) {
      prompts.answered("a", ONE, blocks(i, 10 + i), 0);
    }
    assertThat(prompts.size()).isEqualTo(3);
    assertThat(prompts.beginning("a", chain(1, 11))).isEmpty();
    assertThat(prompts.beginning("a", chain(2, 12))).isPresent();
    SentPrompts few = new SentPrompts(100, 4 * ONE.prompt().estimatedTokens());
    few.answered("a", ONE, blocks(1), 0);
    few.answered("a", ONE, blocks(2), 0);
    assertThat(few.size()).isEqualTo(1);
    assertThat(few.beginning("a", chain(2))).isPresent();
  }

  private static PromptBlocks blocks(long... chain) {
    return new PromptBlocks(chain, new double[chain.length], new int[0]);
  }

  private static long[] chain(long... blocks) {
    return blocks;
  }

  /**
   * A call over pages, each of a block, behind a block of preamble and before one of a question.
   */
  private static InferenceRequest over(String call, String... pages) {
    InferenceRequest request = request(call, pages);
    assertThat(request.prompt().pages()).hasSize(pages.length);
    return request;
  }

  private static PromptBlocks paged(InferenceRequest request, long... chain) {
    int[] ends = IntStream.range(0, chain.length - 2).map(at -> at + 2).toArray();
    assertThat(ends).hasSameSizeAs(request.prompt().pages());
    return new PromptBlocks(chain, new double[chain.length], ends);
  }

  @Test
  void aLockedPageAndWhatStandsBeforeItAreNotGivenUp() {
    InferenceRequest both = over("both", "p", "q");
    InferenceRequest other = over("other", "p", "r");
    prompts.answered("a", both, paged(both, 1, 2, 3, 4), 0);
    prompts.answered("a", other, paged(other, 1, 2, 5, 6), 0);
    assertThat(prompts.givenUp("a", chain(1, 2, 3, 4), page -> page.equals("r")))
        .as("the other prompt needs p to have r")
        .contains(new Beginning(both, 2));
    assertThat(prompts.givenUp("a", chain(5, 6, 2), page -> page.equals("r")))
        .as("the question behind r")
        .contains(new Beginning(other, 3));
    assertThat(prompts.givenUp("a", chain(5, 6, 2, 1), page -> page.equals("r"))).isEmpty();
    assertThat(prompts.givenUp("a", chain(5), page -> false)).contains(new Beginning(other, 2));
  }

  @Test
  void ofAPagesPromptsTheNewestThatIsHeldIsNamedOnceItHasGoneUnused() {
    InferenceRequest both = over("both", "p", "q");
    InferenceRequest first = over("first", "p");
    prompts.answered("a", both, paged(both, 1, 2, 3, 4), 0);
    prompts.answered("a", first, paged(first, 5, 6, 7), 4);
    assertThat(unused("p", 9, 1)).as("the newest was used lately").isEmpty();
    assertThat(unused("p", 14, 6)).as("held of it").containsExactly(new Beginning(both, 2));
    assertThat(unused("p", 14, 0)).containsExactly(new Beginning(first, 2));
    assertThat(unused("p", 23, 0)).as("it was named a while ago").isEmpty();
    assertThat(unused("p", 24, 0)).containsExactly(new Beginning(first, 2));
    assertThat(unused("p", 24, 6)).containsExactly(new Beginning(both, 2));
    assertThat(unused("q", 40, 0)).containsExactly(new Beginning(both, 3));
    assertThat(unused("r", 60, 0)).isEmpty();
  }

  /** Those that have gone unused for 10, where one block is not held. */
  private List<Beginning> unused(String page, long now, long lost) {
    return prompts.unused(
        "a",
        page::equals,
        blocks -> Arrays.stream(blocks).noneMatch(block -> block == lost),
        10,
        now);
  }

  @Test
  void pagesAreGivenUpWhereNoOtherStandsBehindThem() {
    InferenceRequest both = over("both", "p", "q");
    InferenceRequest first = over("first", "r");
    prompts.answered("a", both, paged(both, 1, 2, 3, 4), 0);
    prompts.answered("a", first, paged(first, 1, 5, 6), 0);
    int characters = both.prompt().pages().getFirst().text().length();
    assertThat(prompts.givenUp("a", Set.of("p", "r"), characters))
        .as("q stands behind p")
        .containsExactly(new Beginning(first, 1));
    assertThat(prompts.givenUp("a", Set.of("p", "r"), characters)).as("once").isEmpty();
    assertThat(prompts.givenUp("b", Set.of("q"), characters)).isEmpty();
    assertThat(prompts.givenUp("a", Set.of("q"), characters))
        .containsExactly(new Beginning(both, 2));
    assertThat(prompts.givenUp("a", Set.of("p"), characters)).isEmpty();
    assertThat(prompts.givenUp("a", Set.of("p", "q"), characters))
        .containsExactly(new Beginning(both, 1));
  }
}
