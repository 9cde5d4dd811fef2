package dev.colony.inference.replicas;

import dev.colony.inference.PromptPage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * Which pages a cache holds, by its blocks. A page is there as long as all blocks are of a prompt
 * that has it, from the prompt's beginning up to the page's end: what stands behind a block that
 * was evicted is of no use. One that stands in several prompts is there as long as it is in one of
 * them.
 *
 * <p>A block that comes or goes costs what it touches: the pages that it belongs to, and those that
 * stand behind them. Bounded by the number of blocks; the pages whose prompts were sent longest ago
 * are forgotten first, and count as gone. Not thread-safe.
 */
public final class ResidentPages {

  /**
   * What is different since the change before.
   *
   * @param came ids of pages that are there and were not, each with its tokens
   * @param gone ids of pages that were there and are not
   */
  public record Change(Map<String, Integer> came, Set<String> gone) {

    public Change {
      came = Map.copyOf(came);
      gone = Set.copyOf(gone);
    }

    /** Whether nothing is different. */
    public boolean none() {
      return came.isEmpty() && gone.isEmpty();
    }
  }

  /** A page in a prompt: the blocks from the end of the page before, or the prompt's beginning. */
  private static final class Span {
    private final PromptPage page;
    private final Span before;
    private final long[] blocks;
    private final Set<Span> behind = new LinkedHashSet<>();
    private int missing;
    private boolean resident;

    Span(PromptPage page, Span before, long[] blocks) {
      this.page = page;
      this.before = before;
      this.blocks = blocks;
    }
  }

  private static final class Block {
    private final List<Span> spans = new ArrayList<>(1);
    private boolean held;

    Block(boolean held) {
      this.held = held;
    }
  }

  private final int mostBlocks;

  /**
   * By their last blocks, the one that was sent longest ago first. A page is younger than what
   * stands behind it, so that the oldest has nothing behind it.
   */
  private final LinkedHashMap<Long, Span> spans = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<Long, Block> blocks = new HashMap<>();

  /** How many spans of each page are resident. */
  private final Map<String, Integer> resident = new HashMap<>();

  private final Set<String> told = new HashSet<>();

  /** Pages that may be different from what was told, with their tokens. */
  private final Map<String, Integer> touched = new HashMap<>();

  private int spanned;

  /**
   * @param mostBlocks blocks of pages that are known at most; those that several pages have count
   *     for each
   */
  public ResidentPages(int mostBlocks) {
    this.mostBlocks = mostBlocks;
  }

  /**
   * A prompt was sent, so that its pages are known from here on.
   *
   * @param held whether a block is in the cache now
   */
  public void sent(List<PromptPage> pages, PromptBlocks prompt, LongPredicate held) {
    List<Long> ends = new ArrayList<>();
    Span before = null;
    int from = 0;
    for (int at = 0; at < pages.size(); at++) {
      int end = prompt.pageEnds()[at];
      if (end > from) {
        long last = prompt.chain()[end - 1];
        Span known = spans.get(last);
        before =
            known == null
                ? added(pages.get(at), before, Arrays.copyOfRange(prompt.chain(), from, end), held)
                : known;
        ends.add(last);
        from = end;
      }
    }
    ends.reversed().forEach(spans::get);
    while (spanned > mostBlocks) {
      forget(spans.pollFirstEntry().getValue());
    }
  }

  private Span added(PromptPage page, Span before, long[] own, LongPredicate held) {
    Span span = new Span(page, before, own);
    for (long block : own) {
      Block one = blocks.computeIfAbsent(block, id -> new Block(held.test(id)));
      one.spans.add(span);
      span.missing += one.held ? 0 : 1;
    }
    spans.put(own[own.length - 1], span);
    spanned += own.length;
    if (before != null) {
      before.behind.add(span);
    }
    judge(span);
    return span;
  }

  /** It has nothing behind it. */
  private void forget(Span span) {
    for (long block : span.blocks) {
      Block one = blocks.get(block);
      one.spans.remove(span);
      if (one.spans.isEmpty()) {
        blocks.remove(block);
      }
    }
    spanned -= span.blocks.length;
    if (span.before != null) {
      span.before.behind.remove(span);
    }
    if (span.resident) {
      count(span, -1);
    }
  }

  /** These blocks are in the cache. */
  public void stored(long[] chain) {
    for (long block : chain) {
      set(block, true);
    }
  }

  /** A block is not in the cache any more. */
  public void removed(long block) {
    set(block, false);
  }

  private void set(long block, boolean held) {
    Block one = blocks.get(block);
    if (one != null && one.held != held) {
      one.held = held;
      for (Span span : one.spans) {
        span.missing += held ? -1 : 1;
        judge(span);
      }
    }
  }

  /** Nothing is in the cache, or nothing is known of it. */
  public void cleared() {
    resident.keySet().forEach(page -> touched.put(page, 0));
    resident.clear();
    spans.clear();
    blocks.clear();
    spanned = 0;
  }

  private void judge(Span first) {
    Deque<Span> open = new ArrayDeque<>(List.of(first));
    while (!open.isEmpty()) {
      Span span = open.pop();
      boolean now = span.missing == 0 && (span.before == null || span.before.resident);
      if (now != span.resident) {
        span.resident = now;
        count(span, now ? 1 : -1);
        open.addAll(span.behind);
      }
    }
  }

  private void count(Span span, int change) {
    String page = span.page.id();
    resident.merge(
        page, change, (old, more) -> old + more == 0 ? null : Integer.valueOf(old + more));
    touched.put(page, span.page.sizeTokens());
  }

  /** What has changed since this was asked last. Costs what came and went meanwhile. */
  public Change change() {
    Map<String, Integer> came = new HashMap<>();
    Set<String> gone = new HashSet<>();
    touched.forEach((page, tokens) -> {
      boolean there = resident.containsKey(page);
      if (there && told.add(page)) {
        came.put(page, tokens);
      } else if (!there && told.remove(page)) {
        gone.add(page);
      }
    });
    touched.clear();
    return new Change(came, gone);
  }
}
