package dev.colony.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.replica.ResidentPages.PageResidency;
import dev.colony.replica.ResidentPages.PageResidency.ResidentPage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PageResidencyTest {

  private final PageResidency residency = new PageResidency(3);

  @Test
  void aPageIsResidentFromItsLoadingUntilItsLastBlockIsEvicted() {
    assertThat(residency.loaded(page("a"), 10)).isTrue();
    assertThat(residency.evicted(List.of(11L))).isFalse();
    assertThat(residency.pages()).containsExactly(Map.entry("a", 7));
    assertThat(residency.evicted(List.of(10L))).isTrue();
    assertThat(residency.pages()).isEmpty();
  }

  @Test
  void aPageBehindTwoPrefixesStaysUntilBothAreGone() {
    residency.loaded(page("a"), 10);
    assertThat(residency.loaded(page("a"), 20)).isFalse();
    assertThat(residency.evicted(List.of(10L))).isFalse();
    assertThat(residency.pages()).containsExactly(Map.entry("a", 7));
    assertThat(residency.evicted(List.of(20L))).isTrue();
  }

  @Test
  void beyondItsBoundThePageLoadedFirstIsForgotten() {
    for (String id : List.of("a", "b", "c", "d")) {
      residency.loaded(page(id), id.charAt(0));
    }
    assertThat(residency.pages().keySet()).containsExactly("b", "c", "d");
    assertThat(residency.evicted(List.of((long) 'a'))).isFalse();
  }

  private static ResidentPage page(String id) {
    return new ResidentPage(id, 7);
  }
}
