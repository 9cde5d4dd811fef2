package dev.colony.library.plan;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Plays prompts against the cache of a model server that keeps what prompts begin with: of a prompt
 * the pages behind the longest beginning that is cached are computed. The least recently used end
 * of a beginning is evicted first, as servers with a radix tree do (Zheng et al., SGLang, 2024).
 * Not thread-safe.
 */
public final class PromptReplay {

  /** A cached beginning: the pages up to this one. */
  private static final class Prefix {
    private final int tokens;
    private final int length;
    private long used;
    private int longer;

    Prefix(int tokens, int length) {
      this.tokens = tokens;
      this.length = length;
    }
  }

  private final Map<String, Integer> sizes;
  private final long capacity;
  private final Map<List<String>, Prefix> cached = new HashMap<>();
  private long held;
  private long clock;

  /**
   * @param sizes tokens of pages; of those that are not there, 0
   * @param capacity tokens that the cache holds
   */
  public PromptReplay(Map<String, Integer> sizes, long capacity) {
    this.sizes = sizes;
    this.capacity = capacity;
  }

  /** The tokens that prompts of these pages compute, one after the other, with an empty cache. */
  public static long computed(
      List<List<String>> prompts, Map<String, Integer> sizes, long capacity) {
    PromptReplay replay = new PromptReplay(sizes, capacity);
    return prompts.stream().mapToLong(replay::play).sum();
  }

  /** The tokens at the beginning of a prompt that are cached; changes nothing. */
  public long hit(List<String> pages) {
    long tokens = 0;
    for (int length = 1; length <= pages.size(); length++) {
      Prefix prefix = cached.get(pages.subList(0, length));
      if (prefix == null) {
        break;
      }
      tokens += prefix.tokens;
    }
    return tokens;
  }

  /** Plays a prompt and says how many of its tokens are computed. */
  public long play(List<String> pages) {
    long computed = tokens(pages) - hit(pages);
    clock++;
    List<String> all = List.copyOf(pages);
    for (int length = 1; length <= all.size(); length++) {
      List<String> key = all.subList(0, length);
      Prefix prefix = cached.get(key);
      if (prefix == null) {
        prefix = new Prefix(size(all.get(length - 1)), length);
        cached.put(key, prefix);
        held += prefix.tokens;
        if (length > 1) {
          cached.get(all.subList(0, length - 1)).longer++;
        }
      }
      prefix.used = clock;
    }
    evict();
    return computed;
  }

  private void evict() {
    while (held > capacity) {
      Map.Entry<List<String>, Prefix> victim =
          cached.entrySet().stream()
              .filter(one -> one.getValue().longer == 0)
              .min(
                  Comparator.<Map.Entry<List<String>, Prefix>>comparingLong(
                          one -> one.getValue().used)
                      .thenComparing(one -> -one.getValue().length)
                      .thenComparing(one -> String.join(" ", one.getKey())))
              .orElseThrow(() -> new IllegalStateException("nothing to evict of " + held));
      cached.remove(victim.getKey());
      held -= victim.getValue().tokens;
      List<String> key = victim.getKey();
      if (key.size() > 1) {
        cached.get(key.subList(0, key.size() - 1)).longer--;
      }
    }
  }

  private long tokens(List<String> pages) {
    return pages.stream().mapToLong(this::size).sum();
  }

  private int size(String page) {
    return sizes.getOrDefault(page, 0);
  }
}
