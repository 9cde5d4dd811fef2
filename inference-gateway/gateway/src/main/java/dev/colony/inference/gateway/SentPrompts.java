package dev.colony.inference.gateway;

import dev.colony.inference.InferenceRequest;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
    private final long characters;

    /** How many blocks of the chain were not given up. */
    private int kept;

    Sent(String replica, InferenceRequest request, long[] chain) {
      this.replica = replica;
      this.request = request;
      this.chain = chain;
      this.characters = 4 * request.prompt().estimatedTokens();
      this.kept = chain.length;
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

  /** A replica has answered a prompt of that chain. */
  void answered(String replica, InferenceRequest request, long[] chain) {
    for (long block : chain) {
      forget(new Key(replica, block));
    }
    Sent sent = new Sent(replica, request, chain);
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
   */
  Optional<Beginning> givenUp(String replica, long[] blocks) {
    Set<Long> gone = new HashSet<>();
    for (long block : blocks) {
      gone.add(block);
    }
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

  int size() {
    return prompts.size();
  }
}
