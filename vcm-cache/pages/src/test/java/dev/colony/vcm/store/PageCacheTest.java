package dev.colony.vcm.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.store.BlackboardPageStore.PageCache;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageCacheTest {

  @Test
  void dropsThePageThatWasNotUsedForLongest() {
    PageCache cache = new PageCache(600);
    cache.put(page(1));
    cache.put(page(2));
    cache.put(page(3));
    cache.get(Fixtures.page(1));
    cache.put(page(4));

    assertThat(cache.get(Fixtures.page(2))).isEmpty();
    assertThat(cache.get(Fixtures.page(1))).isPresent();
    assertThat(cache.get(Fixtures.page(4))).isPresent();
    assertThat(cache.heldBytes()).isEqualTo(600);
  }

  @Test
  void countsAPagePutTwiceOnce() {
    PageCache cache = new PageCache(600);
    cache.put(page(1));
    cache.put(page(1));

    assertThat(cache.heldBytes()).isEqualTo(200);
  }

  @Test
  void holdsNothingBeyondItsCapacity() {
    PageCache cache = new PageCache(100);
    cache.put(page(1));

    assertThat(cache.get(Fixtures.page(1))).isEmpty();
    assertThat(cache.heldBytes()).isZero();
  }

  private static VirtualContextPage page(int number) {
    return new VirtualContextPage(Fixtures.page(number), "x".repeat(100), 10, List.of());
  }
}
