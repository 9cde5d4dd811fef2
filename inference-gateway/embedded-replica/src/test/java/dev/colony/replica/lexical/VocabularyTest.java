package dev.colony.replica.lexical;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.replica.lexical.QueryTerms.Vocabulary;
import dev.colony.vcm.mapping.Words;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VocabularyTest {

  @ParameterizedTest
  @CsvSource({
    "decide, decision",
    "placed, placement",
    "allocate, allocator",
    "merging, merges",
    "chosen, choose",
    "sent, sending",
    "built, build"
  })
  void formsOfOneWordShareTheirFamily(String one, String other) {
    assertThat(Vocabulary.family(Words.stems(one).getFirst()))
        .isEqualTo(Vocabulary.family(Words.stems(other).getFirst()));
  }

  @ParameterizedTest
  @CsvSource({"node, note", "place, plan", "merge, message", "shard, share"})
  void differentWordsKeepApart(String one, String other) {
    assertThat(Vocabulary.family(Words.stems(one).getFirst()))
        .isNotEqualTo(Vocabulary.family(Words.stems(other).getFirst()));
  }

  @Test
  void rareWordsWeighMoreThanCommonOnes() {
    assertThat(Vocabulary.rarity("passiv")).isGreaterThan(Vocabulary.rarity("string"));
  }
}
