package dev.colony.inference.replicas;

import dev.colony.inference.PromptPage;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Guesses what a server's prefix cache holds from the calls it answered: the pages of the latest
 * calls, up to a capacity. Where the server says how many tokens it found cached, a page that was
 * taken to be resident and was not shows that the cache is smaller or busier than thought: that
 * page and all used less recently are dropped. Not thread-safe.
 */
public final class ResidencyEstimate {

  private final long capacityTokens;
  private final LinkedHashMap<String, PromptPage> pages = new LinkedHashMap<>(64, 0.75f, true);
  private long held;

  public ResidencyEstimate(long capacityTokens) {
    this.capacityTokens = capacityTokens;
  }

  /**
   * Takes an answered call into account.
   *
   * @param cachedTokens empty where the server says nothing of its cache
   * @return whether the set of resident pages changed
   */
  public boolean answered(List<PromptPage> prompt, Usage usage, OptionalLong cachedTokens) {
    List<String> before = List.copyOf(pages.keySet());
    double own = prompt.stream().mapToLong(PromptPage::sizeTokens).sum();
    // The server counts with its own tokenizer; sizes are brought to its scale.
    double scale = own == 0 ? 1 : Math.min(2, Math.max(0.5, usage.promptTokens() / own));
    double start = 0;
    List<PromptPage> loaded = new ArrayList<>();
    for (PromptPage page : prompt) {
      double middle = (start + page.sizeTokens() / 2.0) * scale;
      boolean missed = cachedTokens.isPresent() && cachedTokens.getAsLong() < middle;
      if (missed && pages.containsKey(page.id())) {
        dropUpTo(page.id());
      } else {
        loaded.add(page);
      }
      start += page.sizeTokens();
    }
    loaded.forEach(this::load);
    return !Set.copyOf(before).equals(pages.keySet());
  }

  /** Forgets everything: the server began a new life. Returns whether that changed anything. */
  public boolean clear() {
    boolean changed = !pages.isEmpty();
    pages.clear();
    held = 0;
    return changed;
  }

  /** The pages taken to be resident, by their ids, with their tokens. */
  public Map<String, Integer> pages() {
    Map<String, Integer> tokens = new LinkedHashMap<>();
    pages.sequencedValues().forEach(page -> tokens.put(page.id(), page.sizeTokens()));
    return tokens;
  }

  private void load(PromptPage page) {
    if (pages.put(page.id(), page) == null) {
      held += page.sizeTokens();
    }
    while (held > capacityTokens) {
      held -= pages.pollFirstEntry().getValue().sizeTokens();
    }
  }

  private void dropUpTo(String id) {
    boolean found = false;
    while (!found) {
      PromptPage oldest = pages.pollFirstEntry().getValue();
      held -= oldest.sizeTokens();
      found = oldest.id().equals(id);
    }
  }
}
