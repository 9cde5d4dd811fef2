package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.PromptPage;
import dev.colony.inference.replicas.ResidentPages.Change;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pages of two blocks each behind a preamble of one. */
class ResidentPagesTest {

  private static final Change NOTHING = new Change(Map.of(), Set.of());

  private final ResidentPages pages = new ResidentPages(1000);
  private final Set<Long> held = new HashSet<>();

  /** The blocks of a prompt over pages, each of which depends on all before it. */
  private static long[] chain(String... pages) {
    long[] chain = new long[1 + 2 * pages.length + 1];
    long hash = 1;
    chain[0] = hash;
    for (int i = 1; i < chain.length; i++) {
      String what = i + 1 < chain.length ? pages[(i - 1) / 2] + (i - 1) % 2 : "question";
      hash = 31 * hash + what.hashCode();
      chain[i] = hash;
    }
    return chain;
  }

  private static PromptBlocks blocks(String... pages) {
    int[] ends = new int[pages.length];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = 1 + 2 * (i + 1);
    }
    long[] chain = chain(pages);
    return new PromptBlocks(chain, new double[chain.length], ends);
  }

  private long[] sent(ResidentPages to, String... names) {
    to.sent(
        List.of(names).stream().map(name -> new PromptPage(name, name, 10)).toList(),
        blocks(names),
        held::contains);
    return chain(names);
  }

  @Test
  void aPageIsThereOnceItsLastBlockIsAndAsLongAsAllBeforeItAre() {
    long[] chain = sent(pages, "a", "b");
    assertThat(pages.change()).isEqualTo(NOTHING);
    pages.stored(new long[] {chain[0], chain[1], chain[2], chain[3]});
    assertThat(pages.change()).isEqualTo(new Change(Map.of("a", 10), Set.of()));
    pages.stored(chain);
    assertThat(pages.change()).isEqualTo(new Change(Map.of("b", 10), Set.of()));
    pages.removed(chain[1]);
    assertThat(pages.change()).isEqualTo(new Change(Map.of(), Set.of("a", "b")));
    pages.stored(new long[] {chain[1]});
    assertThat(pages.change()).isEqualTo(new Change(Map.of("a", 10, "b", 10), Set.of()));
  }

  @Test
  void whatCameAndWentMeanwhileIsNotTold() {
    long[] chain = sent(pages, "a");
    pages.stored(chain);
    pages.removed(chain[2]);
    assertThat(pages.change()).isEqualTo(NOTHING);
  }

  @Test
  void aPageOfTwoPromptsStaysWhileOneOfThemHasIt() {
    long[] first = sent(pages, "a", "b");
    long[] second = sent(pages, "b");
    pages.stored(first);
    pages.stored(second);
    assertThat(pages.change().came()).containsOnlyKeys("a", "b");
    pages.removed(first[4]);
    assertThat(pages.change()).isEqualTo(NOTHING);
    pages.removed(second[2]);
    assertThat(pages.change()).isEqualTo(new Change(Map.of(), Set.of("b")));
  }

  @Test
  void ofAPromptThatIsSentAgainTheBlocksThatAreKnownToBeThereCount() {
    long[] chain = chain("a");
    for (long block : chain) {
      held.add(block);
    }
    sent(pages, "a");
    assertThat(pages.change().came()).containsOnlyKeys("a");
  }

  @Test
  void nothingIsThereAfterAReset() {
    long[] chain = sent(pages, "a", "b");
    pages.stored(chain);
    pages.change();
    pages.cleared();
    assertThat(pages.change()).isEqualTo(new Change(Map.of(), Set.of("a", "b")));
    pages.stored(chain);
    assertThat(pages.change()).as("which no prompt has been sent for since").isEqualTo(NOTHING);
  }

  @Test
  void thePagesThatWereSentLongestAgoAreForgottenAndCountAsGone() {
    ResidentPages few = new ResidentPages(7);
    few.stored(sent(few, "a", "b"));
    few.change();
    long[] chain = sent(few, "a", "c");
    few.stored(chain);
    assertThat(few.change()).isEqualTo(new Change(Map.of("c", 10), Set.of()));
    few.stored(sent(few, "a", "d"));
    assertThat(few.change()).isEqualTo(new Change(Map.of("d", 10), Set.of("b")));
  }

  /** Beside a model that looks through all prompts for each page. */
  @Test
  void whateverComesAndGoesAPageIsThereWhereAPromptHasAllBlocksUpToItsEnd() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    List<String[]> prompts = new ArrayList<>();
    Set<String> told = new HashSet<>();
    for (int step = 0; step < 5_000; step++) {
      switch (random.nextInt(12)) {
        case 0 -> {
          String[] names = new String[1 + random.nextInt(4)];
          for (int i = 0; i < names.length; i++) {
            names[i] = "p" + random.nextInt(5);
          }
          sent(pages, names);
          prompts.add(names);
        }
        case 1 -> {
          if (random.nextInt(20) == 0) {
            held.clear();
            prompts.clear();
            pages.cleared();
          }
        }
        case 2, 3, 4, 5, 6 -> {
          if (!prompts.isEmpty()) {
            long[] chain = chain(prompts.get(random.nextInt(prompts.size())));
            for (long block : chain) {
              held.add(block);
            }
            pages.stored(chain);
          }
        }
        default -> {
          if (!prompts.isEmpty()) {
            long[] chain = chain(prompts.get(random.nextInt(prompts.size())));
            long block = chain[random.nextInt(chain.length)];
            held.remove(block);
            pages.removed(block);
          }
        }
      }
      if (random.nextBoolean()) {
        Change change = pages.change();
        assertThat(change.came().keySet()).noneMatch(told::contains);
        assertThat(told).containsAll(change.gone());
        told.removeAll(change.gone());
        told.addAll(change.came().keySet());
        assertThat(told).as("step %d of seed %d", step, seed).isEqualTo(modelled(prompts));
      }
    }
  }

  private Set<String> modelled(List<String[]> prompts) {
    Map<String, Boolean> there = new HashMap<>();
    for (String[] names : prompts) {
      long[] chain = chain(names);
      boolean all = true;
      for (int at = 0; at < names.length; at++) {
        for (int block = at == 0 ? 0 : 1 + 2 * at; block < 1 + 2 * (at + 1); block++) {
          all &= held.contains(chain[block]);
        }
        there.merge(names[at], all, Boolean::logicalOr);
      }
    }
    there.values().removeIf(resident -> !resident);
    return there.keySet();
  }
}
