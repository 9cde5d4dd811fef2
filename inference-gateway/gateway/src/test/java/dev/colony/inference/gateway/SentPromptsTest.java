package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.gateway.SentPrompts.Beginning;
import org.junit.jupiter.api.Test;

class SentPromptsTest {

  private static final InferenceRequest ONE = request("one");
  private static final InferenceRequest TWO = request("two");

  private final SentPrompts prompts = new SentPrompts(3, 1_000_000);

  @Test
  void aPromptIsFoundByAnyOfItsBeginningsAtItsReplicaOnly() {
    prompts.answered("a", ONE, chain(1, 2, 3));
    assertThat(prompts.beginning("a", chain(1, 2))).contains(new Beginning(ONE, 2));
    assertThat(prompts.beginning("a", chain(1, 2, 3))).contains(new Beginning(ONE, 3));
    assertThat(prompts.beginning("b", chain(1, 2))).isEmpty();
    assertThat(prompts.beginning("a", chain(1, 9))).isEmpty();
    assertThat(prompts.beginning("a", chain(1, 2, 3, 4))).isEmpty();
    assertThat(prompts.beginning("a", chain())).isEmpty();
  }

  @Test
  void aPromptTakesThePlaceOfThoseThatItGoesOnFrom() {
    prompts.answered("a", ONE, chain(1, 2));
    prompts.answered("a", TWO, chain(1, 2, 3));
    assertThat(prompts.size()).isEqualTo(1);
    assertThat(prompts.beginning("a", chain(1, 2))).contains(new Beginning(TWO, 2));
    prompts.answered("a", ONE, chain(1, 7));
    assertThat(prompts.size()).isEqualTo(2);
  }

  @Test
  void whatIsGivenUpAtAPromptsEndIsGivenUpOnce() {
    prompts.answered("a", ONE, chain(1, 2, 3, 4));
    assertThat(prompts.givenUp("a", chain(3, 4))).contains(new Beginning(ONE, 2));
    assertThat(prompts.givenUp("a", chain(3, 4))).isEmpty();
    assertThat(prompts.givenUp("a", chain(2))).contains(new Beginning(ONE, 1));
    assertThat(prompts.givenUp("a", chain(9))).isEmpty();
    prompts.answered("b", TWO, chain(5, 6));
    assertThat(prompts.givenUp("a", chain(6))).isEmpty();
    assertThat(prompts.givenUp("b", chain(5, 6))).contains(new Beginning(TWO, 0));
  }

  @Test
  void beyondTheBoundsTheOldestIsForgotten() {
    for (int i = 0; i < 5; i++) {
      prompts.answered("a", ONE, chain(i, 10 + i));
    }
    assertThat(prompts.size()).isEqualTo(3);
    assertThat(prompts.beginning("a", chain(1, 11))).isEmpty();
    assertThat(prompts.beginning("a", chain(2, 12))).isPresent();
    SentPrompts few = new SentPrompts(100, 4 * ONE.prompt().estimatedTokens());
    few.answered("a", ONE, chain(1));
    few.answered("a", ONE, chain(2));
    assertThat(few.size()).isEqualTo(1);
    assertThat(few.beginning("a", chain(2))).isPresent();
  }

  private static long[] chain(long... blocks) {
    return blocks;
  }
}
