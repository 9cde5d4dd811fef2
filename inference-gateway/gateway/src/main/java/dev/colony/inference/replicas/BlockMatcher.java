package dev.colony.inference.replicas;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Finds out which of an engine's cache blocks hold which blocks of text, so that the engine's
 * events about the former tell of the latter. The engine names its blocks by hashes over tokens; a
 * gateway has text and no tokenizer. But of a call of its own it knows when it was sent and, from
 * the reply, how many tokens its prompt had: the block that was stored in between at just that
 * depth is the prompt's last one, and its parents are the rest. Blocks of text correspond to those
 * at the same share of the prompt.
 *
 * <p>Where several blocks come into question, as when prompts of the same length were computed at
 * the same time, those remain that stand behind what is matched already of the prompt's beginning;
 * where still more than one does, nothing is matched, and the estimate stays what it is.
 *
 * <p>Bounded: what was stored longest ago is forgotten first. Not thread-safe.
 */
public final class BlockMatcher {

  /** Hears of blocks of text. */
  public interface Listener {

    /** All of them are in the cache. */
    void stored(long[] chain);

    /** It is not in the cache any more. */
    void removed(long block);

    /** The cache is empty. */
    void cleared();

    /** What is not told again is not known. */
    void missed();
  }

  /** A prompt that was sent; see {@link #sent}. */
  public record Sent(long[] chain, double[] ends, long at) {}

  private static final long NONE = Long.MIN_VALUE;

  /**
   * A block of the engine's.
   *
   * @param depth 1 for a prompt's first; 0 where that is not known
   * @param at how many blocks had been stored before it
   */
  private record Node(long parent, int depth, long at) {}

  private final int most;
  private final Listener listener;
  private final Map<Long, Node> nodes = new LinkedHashMap<>();
  private final Map<Long, Long> byText = new LinkedHashMap<>();
  private final Map<Long, Set<Long>> texts = new LinkedHashMap<>();
  private int blockTokens;
  private long stored;

  /**
   * @param most how many blocks of the engine, and of text, are known at most; at least 1
   */
  public BlockMatcher(int most, Listener listener) {
    this.most = most;
    this.listener = listener;
  }

  /** Takes what the engine said. */
  public void heard(KvEvent event) {
    switch (event) {
      case KvEvent.Stored blocks -> stored(blocks);
      case KvEvent.Removed blocks -> blocks.blocks().forEach(this::removed);
      case KvEvent.Cleared cleared -> {
        forget();
        listener.cleared();
      }
      case KvEvent.Missed missed -> {
        forget();
        listener.missed();
      }
    }
  }

  /**
   * A prompt is sent to the engine.
   *
   * @param chain its blocks of text
   * @param ends for each how much of the prompt there is up to its end, in any unit
   */
  public Sent sent(long[] chain, double[] ends) {
    return new Sent(chain, ends, stored);
  }

  /**
   * The prompt was answered.
   *
   * @param promptTokens by the engine's count
   * @return whether its blocks could be told
   */
  public boolean answered(Sent sent, long promptTokens) {
    if (blockTokens == 0 || sent.chain().length == 0 || promptTokens < blockTokens) {
      return false;
    }
    int depth = (int) (promptTokens / blockTokens);
    OptionalLong last = last(sent, depth);
    if (last.isEmpty()) {
      return false;
    }
    long[] engine = new long[depth];
    long block = last.getAsLong();
    for (int at = depth - 1; at >= 0; at--) {
      engine[at] = block;
      Node node = nodes.get(block);
      if (node == null) {
        return false;
      }
      block = node.parent();
    }
    long[] chain = sent.chain();
    for (int i = chain.length - 1; i >= 0; i--) {
      match(chain[i], engine[share(sent.ends()[i] / sent.ends()[chain.length - 1], depth)]);
    }
    listener.stored(chain);
    return true;
  }

  /** The engine's block in which such a part of the prompt ends, counted from 0. */
  private static int share(double part, int depth) {
    return (int) Math.max(0, Math.ceil(part * depth) - 1);
  }

  private OptionalLong last(Sent sent, int depth) {
    List<Long> candidates = new ArrayList<>();
    nodes.forEach((block, node) -> {
      if (node.at() >= sent.at() && node.depth() == depth) {
        candidates.add(block);
      }
    });
    if (candidates.size() > 1) {
      int known = matchedUpTo(sent.chain());
      if (known > 0) {
        long beginning = byText.get(sent.chain()[known - 1]);
        candidates.removeIf(candidate -> !behind(candidate, beginning));
      }
    }
    return candidates.size() == 1 ? OptionalLong.of(candidates.getFirst()) : OptionalLong.empty();
  }

  private int matchedUpTo(long[] chain) {
    int known = 0;
    while (known < chain.length && byText.containsKey(chain[known])) {
      known++;
    }
    return known;
  }

  private boolean behind(long block, long beginning) {
    for (Node node = nodes.get(block); node != null; node = nodes.get(block)) {
      if (block == beginning) {
        return true;
      }
      block = node.parent();
    }
    return false;
  }

  private void stored(KvEvent.Stored event) {
    blockTokens = event.blockTokens();
    long parent = event.parent().orElse(NONE);
    Node before = nodes.get(parent);
    int depth = event.parent().isEmpty() ? 0 : before == null ? -1 : before.depth();
    boolean known = depth >= 0 && (event.parent().isEmpty() || depth > 0);
    for (long block : event.blocks()) {
      depth = known ? depth + 1 : 0;
      nodes.remove(block);
      nodes.put(block, new Node(parent, depth, stored++));
      parent = block;
      Set<Long> again = texts.get(block);
      if (again != null) {
        listener.stored(again.stream().mapToLong(Long::longValue).toArray());
      }
    }
    while (nodes.size() > most) {
      nodes.remove(nodes.keySet().iterator().next());
    }
  }

  private void removed(long block) {
    nodes.remove(block);
    texts.getOrDefault(block, Set.of()).forEach(listener::removed);
  }

  private void match(long text, long block) {
    Long before = byText.remove(text);
    if (before != null && before != block) {
      unmatch(before, text);
    }
    byText.put(text, block);
    texts.computeIfAbsent(block, b -> new LinkedHashSet<>()).add(text);
    if (byText.size() > most) {
      Iterator<Map.Entry<Long, Long>> oldest = byText.entrySet().iterator();
      Map.Entry<Long, Long> gone = oldest.next();
      oldest.remove();
      unmatch(gone.getValue(), gone.getKey());
    }
  }

  private void unmatch(long block, long text) {
    Set<Long> all = texts.get(block);
    all.remove(text);
    if (all.isEmpty()) {
      texts.remove(block);
    }
  }

  private void forget() {
    nodes.clear();
    byText.clear();
    texts.clear();
  }
}
