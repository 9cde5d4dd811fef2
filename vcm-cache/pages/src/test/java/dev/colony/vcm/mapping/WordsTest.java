package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WordsTest {

  @Test
  void anIdentifierYieldsItselfAndItsParts() {
    assertThat(Words.stems("ShardAllocationStrategy"))
        .containsExactlyInAnyOrder("shardallocationstrategi", "shard", "alloc", "strategi");
    assertThat(Words.stems("max_queue_size"))
        .containsExactlyInAnyOrder("max_queue_s", "max", "queue", "size");
    assertThat(Words.stems("LRUQueryCache"))
        .containsExactly("lruquerycach", "lru", "queri", "cach");
    assertThat(Words.stems("BM25")).containsExactly("bm25", "bm", "25");
  }

  @Test
  void nextWordsAreThePartsOfIdentifiers() {
    assertThat(Words.joinedStems("the query  Router?", 8))
        .containsExactlyInAnyOrder(
            "thequeri", "the_queri", "thequeryrout", "the_query_rout", "queryrout", "query_rout")
        .contains(Words.stems("QueryRouter").getFirst(), Words.stems("query_router").getFirst());
    assertThat(Words.joinedStems("a b c", 2)).containsExactly("ab", "a_b");
    assertThat(Words.joinedStems("one", 8)).isEmpty();
  }

  @Test
  void whatIsCalledOnAnObjectIsAnIdentifierOfItsOwn() {
    assertThat(Words.stems("bed.isDue()")).containsExactly("bed", "isdu", "is", "due");
  }

  @Test
  void irregularFormsShareTheStemOfTheirWord() {
    assertThat(Words.stems("chosen")).isEqualTo(Words.stems("choose"));
    assertThat(Words.stems("children")).isEqualTo(Words.stems("child"));
  }

  @Test
  void aQuestionAndTheLineThatAnswersItAreSplitAlike() {
    assertThat(Words.tellingStems("the node's HTTPGates"))
        .containsExactly("node", "httpgate", "http", "gate");
    assertThat(Words.tellingStems("nodes, in an httpGate"))
        .containsExactly("node", "httpgate", "http", "gate");
  }

  @Test
  void stopWordsAndSingleLettersTellNothing() {
    assertThat(Words.tellingStems("What is it that isn't in a public class x?")).isEmpty();
    assertThat(Words.stems("What is x?")).containsExactly("what", "is", "x");
    assertThat(Words.isStopWord("what")).isTrue();
    assertThat(Words.isStopWord("shard")).isFalse();
  }

  @Test
  void eachTellingStemComesOnceInTheOrderOfTheText() {
    assertThat(Words.tellingStems("shards of a shard, then nodes"))
        .containsExactly("shard", "node");
  }
}
