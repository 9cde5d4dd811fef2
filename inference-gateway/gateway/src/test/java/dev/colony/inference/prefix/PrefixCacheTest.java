package dev.colony.inference.prefix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.inference.prefix.PrefixCache.Entered;
import dev.colony.inference.prefix.PrefixCache.Lease;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PrefixCacheTest {

  /** Enter a prompt of these tokens (one token a block), or release the n-th open lease. */
  sealed interface Step {
    record Enter(List<Integer> tokens) implements Step {}

    record Release(int which) implements Step {}
  }

  /** The specification: a set of prefixes, searched in full at every step. */
  private static final class BruteForce {
    final int capacity;
    final Map<List<Integer>, Integer> lastUse = new HashMap<>();
    final List<List<Integer>> open = new ArrayList<>();
    int uses;

    BruteForce(int capacity) {
      this.capacity = capacity;
    }

    boolean leased(List<Integer> prefix) {
      return open.stream()
          .anyMatch(p -> p.size() >= prefix.size() && p.subList(0, prefix.size()).equals(prefix));
    }

    boolean leaf(List<Integer> prefix) {
      return lastUse.keySet().stream()
          .noneMatch(
              p -> p.size() == prefix.size() + 1 && p.subList(0, prefix.size()).equals(prefix));
    }

    Optional<Integer> enter(List<Integer> prompt) {
      int reused = 0;
      while (reused < prompt.size() && lastUse.containsKey(prompt.subList(0, reused + 1))) {
        reused++;
      }
      open.add(prompt);
      long stay = lastUse.keySet().stream().filter(this::leased).count();
      if (stay + prompt.size() - reused > capacity) {
        open.removeLast();
        return Optional.empty();
      }
      while (lastUse.size() + prompt.size() - reused > capacity) {
        List<Integer> victim =
            lastUse.keySet().stream()
                .filter(p -> leaf(p) && !leased(p))
                .min(Comparator.comparing(lastUse::get))
                .orElseThrow();
        lastUse.remove(victim);
      }
      for (int i = prompt.size(); i > 0; i--) {
        lastUse.put(List.copyOf(prompt.subList(0, i)), ++uses);
      }
      return Optional.of(reused);
    }
  }

  @Property(tries = 1000)
  void behavesAsTheBruteForceModel(
      @ForAll("steps") List<Step> steps, @ForAll @IntRange(min = 4, max = 12) int capacity) {
    PrefixCache cache = new PrefixCache(capacity);
    BruteForce model = new BruteForce(capacity);
    List<Lease> open = new ArrayList<>();
    Map<Long, List<Integer>> names = new HashMap<>();
    for (Step step : steps) {
      switch (step) {
        case Step.Enter enter -> {
          long[] chain = chain(enter.tokens());
          for (int i = 0; i < chain.length; i++) {
            names.put(chain[i], List.copyOf(enter.tokens().subList(0, i + 1)));
          }
          Set<List<Integer>> before = new HashSet<>(model.lastUse.keySet());
          Optional<Entered> entered = cache.enter(chain);
          assertThat(entered.map(Entered::reusedBlocks)).isEqualTo(model.enter(enter.tokens()));
          entered.ifPresent(e -> {
            open.add(e.lease());
            before.removeAll(model.lastUse.keySet());
            assertThat(e.evicted().stream().map(names::get))
                .containsExactlyInAnyOrderElementsOf(before);
          });
        }
        case Step.Release release -> {
          if (!open.isEmpty()) {
            int which = release.which() % open.size();
            cache.release(open.remove(which));
            model.open.remove(which);
          }
        }
      }
      assertThat(cache.sizeBlocks()).isEqualTo(model.lastUse.size()).isLessThanOrEqualTo(capacity);
      assertThat(cache.leasedBlocks())
          .isEqualTo((int) model.lastUse.keySet().stream().filter(model::leased).count());
      names.forEach((hash, prefix) -> {
        assertThat(cache.contains(hash)).isEqualTo(model.lastUse.containsKey(prefix));
        if (cache.contains(hash)) {
          assertThat(cache.cachedPrefix(chain(prefix))).isEqualTo(prefix.size());
        }
      });
    }
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Step> enter =
        Arbitraries.integers().between(1, 3).list().ofMinSize(0).ofMaxSize(4).map(Step.Enter::new);
    Arbitrary<Step> release = Arbitraries.integers().between(0, 7).map(Step.Release::new);
    return Arbitraries.frequencyOf(Tuple.of(3, enter), Tuple.of(2, release)).list().ofMaxSize(40);
  }

  @Test
  void aPromptBeyondTheCapacityIsRefused() {
    PrefixCache cache = new PrefixCache(2);
    assertThatThrownBy(() -> cache.enter(chain(List.of(1, 2, 3))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("capacity of 2");
  }

  @Test
  void aLeaseIsReleasedOnce() {
    PrefixCache cache = new PrefixCache(2);
    Lease lease = cache.enter(chain(List.of(1))).orElseThrow().lease();
    cache.release(lease);
    assertThatThrownBy(() -> cache.release(lease)).isInstanceOf(IllegalStateException.class);
  }

  private static long[] chain(List<Integer> tokens) {
    return BlockHashes.chain(tokens.stream().mapToInt(Integer::intValue).toArray(), 1);
  }
}
