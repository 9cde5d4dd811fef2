package dev.colony.inference.gateway;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.replicas.PromptBlocks;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The latest prompts that replicas have answered, by which a replica is told of blocks: it knows no
 * names of blocks but its own, so it is told by the text. A prompt takes the place of those that it
 * goes on from. Bounded by their number and by their characters, of which those that several share
 * count for each; beyond that the one that was answered longest ago is forgotten. Not thread-safe.
 */
final class SentPrompts {

  /**
   * The beginning of a prompt.
   *
   * @param blocks of its chain, from its start
   */
  record Beginning(InferenceRequest request, int blocks) {}

  private static final class Sent {
    private final String replica;
    private final InferenceRequest request;
    private final long[] chain;
    private final int[] pageEnds;
    private final long characters;

    /** How many blocks of the chain were not given up. */
    private int kept;

    /** When a call or a touch used it last, in nanoseconds. */
    private long usedAt;

    Sent(String replica, InferenceRequest request, PromptBlocks blocks, long now) {
      this.replica = replica;
      this.request = request;
      this.chain = blocks.chain();
      this.pageEnds = blocks.pageEnds();
      this.characters = 4 * request.prompt().estimatedTokens();
      this.kept = chain.length;
      this.usedAt = now;
    }

    /**
     * How many blocks there are up to the end of the last page that is one of those; 0 for none.
     */
    int upTo(Predicate<String> pages) {
      for (int at = pageEnds.length - 1; at >= 0; at--) {
        if (pages.test(request.prompt().pages().get(at).id())) {
          return pageEnds[at];
        }
      }
      return 0;
    }

    /** How many pages end within so many blocks. */
    long pagesUpTo(int blocks) {
      return Arrays.stream(pageEnds).takeWhile(end -> end <= blocks).count();
    }

    /** The first page, where what the prompt has before it ends; empty where it has no page. */
    OptionalInt firstPage(int blockCharacters) {
      if (pageEnds.length == 0) {
        return OptionalInt.empty();
      }
      int characters = request.prompt().pages().getFirst().text().length();
      return OptionalInt.of(pageEnds[0] - (characters + blockCharacters - 1) / blockCharacters);
    }
  }

  /** A replica, and the last block of what it was sent. */
  private record Key(String replica, long last) {}

  private final int maxPrompts;
  private final long maxCharacters;
  private final LinkedHashMap<Key, Sent> prompts = new LinkedHashMap<>();
  private long characters;

  SentPrompts(int maxPrompts, long maxCharacters) {
    this.maxPrompts = maxPrompts;
    this.maxCharacters = maxCharacters;
  }

  /**
   * A replica has answered a prompt of these blocks.
   *
   * @param now in nanoseconds
   */
  void answered(String replica, InferenceRequest request, PromptBlocks blocks, long now) {
    long[] chain = blocks.chain();
    for (long block : chain) {
      forget(new Key(replica, block));
    }
    Sent sent = new Sent(replica, request, blocks, now);
    prompts.put(new Key(replica, chain[chain.length - 1]), sent);
    characters += sent.characters;
    Iterator<Sent> oldest = prompts.values().iterator();
    while (prompts.size() > maxPrompts || characters > maxCharacters) {
      characters -= oldest.next().characters;
      oldest.remove();
    }
  }

  private void forget(Key key) {
    Sent gone = prompts.remove(key);
    if (gone != null) {
      characters -= gone.characters;
    }
  }

  /** A prompt of that replica that begins with these blocks; empty where none is known. */
  Optional<Beginning> beginning(String replica, long[] blocks) {
    int length = blocks.length;
    if (length == 0) {
      return Optional.empty();
    }
    for (Sent sent : prompts.values()) {
      // Blocks are chained: where the last is the same, so are all before it.
      if (sent.replica.equals(replica)
          && sent.chain.length >= length
          && sent.chain[length - 1] == blocks[length - 1]) {
        return Optional.of(new Beginning(sent.request, length));
      }
    }
    return Optional.empty();
  }

  /**
   * Which prompt of that replica ends in blocks that are given up, and how many of its blocks stand
   * before these. It has only those from then on. Empty where none is known.
   *
   * @param locked pages that are not given up, nor what stands before them
   */
  Optional<Beginning> givenUp(String replica, long[] blocks, Predicate<String> locked) {
    Set<Long> gone = new HashSet<>();
    for (long block : blocks) {
      gone.add(block);
    }
    gone.removeAll(held(replica, locked));
    for (Map.Entry<Key, Sent> one : prompts.entrySet()) {
      Sent sent = one.getValue();
      int kept = sent.kept;
      while (kept > 0 && gone.contains(sent.chain[kept - 1])) {
        kept--;
      }
      if (sent.replica.equals(replica) && kept < sent.kept) {
        sent.kept = kept;
        return Optional.of(new Beginning(sent.request, kept));
      }
    }
    return Optional.empty();
  }

  /**
   * The prompts of that replica that end in pages which are given up, the one that was answered
   * last first, and how many of their blocks stand before these: what comes before the first page
   * is kept. They have only those from then on.
   *
   * @param pages that are given up; what another page of a prompt stands behind is not
   * @param blockCharacters by which the blocks of all prompts were made
   */
  List<Beginning> givenUp(String replica, Set<String> pages, int blockCharacters) {
    Set<Long> held = held(replica, page -> !pages.contains(page));
    List<Beginning> beginnings = new ArrayList<>();
    for (Sent sent : prompts.sequencedValues().reversed()) {
      if (!sent.replica.equals(replica) || sent.firstPage(blockCharacters).isEmpty()) {
        continue;
      }
      int kept = sent.firstPage(blockCharacters).getAsInt();
      while (kept < sent.kept && held.contains(sent.chain[kept])) {
        kept++;
      }
      boolean ends = sent.pageEnds[sent.pageEnds.length - 1] > kept;
      if (ends && kept < sent.kept) {
        sent.kept = kept;
        beginnings.add(new Beginning(sent.request, kept));
      }
    }
    return beginnings;
  }

  /**
   * For each of some pages the prompt of a replica that has it and was answered last, from its
   * start to the last of them in it, where neither a call nor a touch has used it for a while.
   * These count as used from now on.
   *
   * @param held whether the replica's cache has all of these blocks: other prompts are passed over
   * @param unused nanoseconds
   * @param now in nanoseconds
   */
  List<Beginning> unused(
      String replica, Predicate<String> pages, Predicate<long[]> held, long unused, long now) {
    Set<String> seen = new HashSet<>();
    List<Beginning> beginnings = new ArrayList<>();
    for (Sent sent : prompts.sequencedValues().reversed()) {
      int upTo =
          sent.replica.equals(replica)
              ? sent.upTo(page -> pages.test(page) && !seen.contains(page))
              : 0;
      if (upTo > 0 && held.test(Arrays.copyOf(sent.chain, upTo))) {
        sent.request.prompt().pages().stream()
            .limit(sent.pagesUpTo(upTo))
            .forEach(page -> seen.add(page.id()));
        if (now - sent.usedAt >= unused) {
          sent.usedAt = now;
          beginnings.add(new Beginning(sent.request, upTo));
        }
      }
    }
    return beginnings;
  }

  /** The blocks that prompts of a replica have up to the last of some pages in them. */
  private Set<Long> held(String replica, Predicate<String> pages) {
    Set<Long> held = new HashSet<>();
    for (Sent sent : prompts.values()) {
      if (sent.replica.equals(replica)) {
        int upTo = sent.upTo(pages);
        for (int at = 0; at < upTo; at++) {
          held.add(sent.chain[at]);
        }
      }
    }
    return held;
  }

  int size() {
    return prompts.size();
  }
}
