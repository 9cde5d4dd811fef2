package dev.colony.inference.replicas;

import dev.colony.inference.replicas.KvEvents.KvEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * where still more than one does, nothing is matched, and the estimate stays what it is. Events
 * travel by themselves and may come after the reply: a prompt that was answered before its blocks
 * were heard of waits for one of the next {@value #LATE} events of stored blocks to end with its
 * last one.
 *
 * <p>An engine that is given a name for a call, and told to report all of its blocks, names it with
 * each block that the call stored or found stored (vLLM 0.32: {@code X-Session-ID} and {@code
 * kv_cache_report_mode}). Then no other call's blocks come into question.
 *
 * <p>A text that several prompts begin with seldom ends where a block of the engine ends, so that
 * it ends in another block of the engine for each text that goes on behind it. It is in the cache
 * as long as one of these is.
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
  public record Sent(long[] chain, double[] ends, long at, Optional<String> session) {}

  private static final long NONE = Long.MIN_VALUE;

  /** Blocks of the engine that a block of text may end in, at most. */
  private static final int ENDS = 64;

  /** Events that a prompt waits for at most, and prompts that wait. */
  private static final int LATE = 16;

  /** A prompt that was answered before its blocks were heard of. */
  private record Late(Sent sent, long promptTokens, long until) {}

  /**
   * A block of the engine's.
   *
   * @param depth 1 for a prompt's first; 0 where that is not known
   * @param at how many blocks had been stored before it
   * @param session of the call that used it last; empty where the engine does not say
   */
  private record Node(long parent, int depth, long at, Optional<String> session) {

    /** Unless both are named, either may be the other's. */
    boolean of(Sent sent) {
      return session.isEmpty() || sent.session().isEmpty() || session.equals(sent.session());
    }
  }

  private final int most;
  private final Listener listener;
  private final Map<Long, Node> nodes = new LinkedHashMap<>();
  private final Map<Long, Set<Long>> byText = new LinkedHashMap<>();
  private final Map<Long, Set<Long>> texts = new LinkedHashMap<>();
  private final Deque<Late> late = new ArrayDeque<>();
  private int blockTokens;

  /** Whether the engine names sessions: then it tells also of blocks that it found stored. */
  private boolean sessions;

  private long stored;
  private long events;

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
   * @param session the name that the engine was given for it; empty for none
   */
  public Sent sent(long[] chain, double[] ends, Optional<String> session) {
    return new Sent(chain, ends, stored, session);
  }

  /**
   * The prompt was answered. Where its blocks are not known yet, events that follow may tell.
   *
   * @param promptTokens by the engine's count
   * @param cachedTokens how many of them the engine found in its cache; empty where it does not say
   * @return whether its blocks could be told
   */
  public boolean answered(Sent sent, long promptTokens, OptionalLong cachedTokens) {
    if (sent.chain().length == 0 || promptTokens < blockTokens) {
      return false;
    }
    List<Long> candidates = candidates(sent, promptTokens);
    if (candidates.isEmpty() && !whollyCached(promptTokens, cachedTokens)) {
      late.add(new Late(sent, promptTokens, events + LATE));
      if (late.size() > LATE) {
        late.removeFirst();
      }
    }
    return candidates.size() == 1 && told(sent, promptTokens, candidates.getFirst());
  }

  /** Of such a prompt the engine stores nothing that is new, and tells nothing without sessions. */
  private boolean whollyCached(long promptTokens, OptionalLong cachedTokens) {
    return !sessions
        && blockTokens > 0
        && cachedTokens.isPresent()
        && cachedTokens.getAsLong() / blockTokens >= promptTokens / blockTokens;
  }

  /** Its last block is this one of the engine's. */
  private boolean told(Sent sent, long promptTokens, long last) {
    int depth = depth(promptTokens);
    long[] engine = new long[depth];
    long block = last;
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

  /** How many full blocks such a prompt has; 0 where the engine has not said how large they are. */
  private int depth(long promptTokens) {
    return blockTokens == 0 ? 0 : (int) (promptTokens / blockTokens);
  }

  /** The blocks of the engine that may be the prompt's last one. */
  private List<Long> candidates(Sent sent, long promptTokens) {
    int depth = depth(promptTokens);
    List<Long> candidates = new ArrayList<>();
    if (depth == 0) {
      return candidates;
    }
    nodes.forEach((block, node) -> {
      if (node.at() >= sent.at() && node.depth() == depth && node.of(sent)) {
        candidates.add(block);
      }
    });
    if (candidates.size() > 1) {
      int known = matchedUpTo(sent.chain());
      if (known > 0) {
        Set<Long> beginnings = byText.get(sent.chain()[known - 1]);
        candidates.removeIf(candidate -> !behind(candidate, beginnings));
      }
    }
    return candidates;
  }

  private int matchedUpTo(long[] chain) {
    int known = 0;
    while (known < chain.length && byText.containsKey(chain[known])) {
      known++;
    }
    return known;
  }

  private boolean behind(long block, Set<Long> beginnings) {
    for (Node node = nodes.get(block); node != null; node = nodes.get(block)) {
      if (beginnings.contains(block)) {
        return true;
      }
      block = node.parent();
    }
    return false;
  }

  private void stored(KvEvent.Stored event) {
    blockTokens = event.blockTokens();
    sessions |= event.session().isPresent();
    long parent = event.parent().orElse(NONE);
    Node parentNode = nodes.get(parent);
    int depth = event.parent().isEmpty() ? 0 : parentNode == null ? -1 : parentNode.depth();
    boolean known = depth >= 0 && (event.parent().isEmpty() || depth > 0);
    for (long block : event.blocks()) {
      depth = known ? depth + 1 : 0;
      nodes.remove(block);
      nodes.put(block, new Node(parent, depth, stored++, event.session()));
      parent = block;
      Set<Long> again = texts.get(block);
      if (again != null) {
        listener.stored(again.stream().mapToLong(Long::longValue).toArray());
      }
    }
    while (nodes.size() > most) {
      nodes.remove(nodes.keySet().iterator().next());
    }
    events++;
    long last = parent;
    int depthOfLast = depth;
    late.removeIf(one -> heardOf(one, last, depthOfLast) || events >= one.until());
  }

  /** Whether the event ends with the last block of a prompt that waits for it. */
  private boolean heardOf(Late one, long last, int depth) {
    return depth > 0
        && depth == depth(one.promptTokens())
        && nodes.containsKey(last)
        && nodes.get(last).of(one.sent())
        && told(one.sent(), one.promptTokens(), last);
  }

  private void removed(long block) {
    nodes.remove(block);
    for (long text : texts.getOrDefault(block, Set.of())) {
      if (!holds(text)) {
        listener.removed(text);
      }
    }
  }

  /** Whether a block of text is known to be in the cache. */
  public boolean holds(long text) {
    return byText.getOrDefault(text, Set.of()).stream().anyMatch(nodes::containsKey);
  }

  private void match(long text, long block) {
    Set<Long> blocks = byText.remove(text);
    if (blocks == null) {
      blocks = new LinkedHashSet<>();
    }
    byText.put(text, blocks);
    blocks.remove(block);
    blocks.add(block);
    texts.computeIfAbsent(block, b -> new LinkedHashSet<>()).add(text);
    if (blocks.size() > ENDS) {
      long gone =
          blocks.stream()
              .filter(one -> !nodes.containsKey(one))
              .findFirst()
              .orElse(blocks.iterator().next());
      blocks.remove(gone);
      unmatch(gone, text);
    }
    if (byText.size() > most) {
      Iterator<Map.Entry<Long, Set<Long>>> oldest = byText.entrySet().iterator();
      Map.Entry<Long, Set<Long>> gone = oldest.next();
      oldest.remove();
      gone.getValue().forEach(one -> unmatch(one, gone.getKey()));
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
    late.clear();
    nodes.clear();
    byText.clear();
    texts.clear();
  }
}
