package dev.colony.vcm.schedule.reuse;

import dev.colony.vcm.schedule.Residency;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;

/**
 * Chooses which blocks a replica gives up for the prompt of a call without a session. Prompts are
 * told apart by how many turns their conversation has had, as far as the beginnings that they share
 * with earlier ones show: how likely a next turn is, and when, is learned for each number of turns.
 *
 * <p>Bounded by the number of blocks that are remembered. A prompt costs O(its blocks), a choice
 * O(prompts that give up blocks * classes).
 */
public final class ReuseEviction {

  /** Prompts that are looked at for one choice, at most. */
  private static final int LOOKED_AT = 60;

  /** The prompt of a call that has come. */
  public static final class Use {
    private final long[] blocks;
    private final int turn;
    private final int kind;
    private final double at;
    private boolean continued;

    private Use(long[] blocks, int turn, int kind, double at) {
      this.blocks = blocks;
      this.turn = turn;
      this.kind = kind;
      this.at = at;
    }
  }

  private final ReuseSettings settings;
  private final List<ReuseDensity> densities = new ArrayList<>();

  /** Which prompt used a block last; the one used longest ago first. */
  private final Map<Long, Use> lastUse = new LinkedHashMap<>();

  /** Those that may still be continued, the oldest first. */
  private final Deque<Use> open = new ArrayDeque<>();

  /** By replica and class: those whose calls have ended there, in that order. */
  private final Map<String, List<SequencedSet<Use>>> ended = new HashMap<>();

  private int sinceLearned;

  public ReuseEviction(ReuseSettings settings) {
    this.settings = settings;
    for (int kind = 0; kind < settings.classes(); kind++) {
      densities.add(new ReuseDensity());
    }
  }

  /** A call with that prompt has come. */
  public Use arrived(long[] blocks, double now) {
    int known = 0;
    while (known < blocks.length && lastUse.get(blocks[known]) != null) {
      known++;
    }
    int turn = 1;
    Use before = known > 1 ? lastUse.get(blocks[known - 1]) : null;
    // A beginning that is less than half of the earlier prompt is a common one, not its
    // conversation.
    if (before != null && known >= before.blocks.length / 2.0) {
      turn = before.turn + 1;
      if (!before.continued) {
        before.continued = true;
        densities.get(before.kind).usedAfter(now - before.at);
      }
    }
    Use prompt = new Use(blocks, turn, Math.min(settings.classes(), turn) - 1, now);
    open.add(prompt);
    while (!open.isEmpty() && now - open.peek().at > settings.horizonSeconds()) {
      Use old = open.remove();
      if (!old.continued) {
        densities.get(old.kind).givenUp();
      }
    }
    for (long block : blocks) {
      lastUse.remove(block);
      lastUse.put(block, prompt);
    }
    while (lastUse.size() > settings.mostBlocks()) {
      lastUse.remove(lastUse.keySet().iterator().next());
    }
    if (++sinceLearned >= settings.learnedEvery()) {
      sinceLearned = 0;
      learn(now);
    }
    return prompt;
  }

  private void learn(double now) {
    int[][] ages = new int[densities.size()][ReuseDensity.AGES];
    for (Use prompt : open) {
      if (!prompt.continued) {
        ages[prompt.kind][ReuseDensity.age(now - prompt.at)]++;
      }
    }
    for (int kind = 0; kind < ages.length; kind++) {
      densities.get(kind).learn(ages[kind]);
    }
  }

  /** Its call has ended at a replica, where its blocks may be given up from now on. */
  public void ended(Use use, String replica) {
    List<SequencedSet<Use>> kinds =
        ended.computeIfAbsent(
            replica,
            id -> {
              List<SequencedSet<Use>> sets = new ArrayList<>();
              densities.forEach(kind -> sets.add(new LinkedHashSet<>()));
              return sets;
            });
    SequencedSet<Use> kind = kinds.get(use.kind);
    kind.add(use);
    if (kind.size() > settings.mostBlocks()) {
      kind.removeFirst();
    }
  }

  /** A replica is gone. */
  public void left(String replica) {
    ended.remove(replica);
  }

  /**
   * Which blocks go for a prompt that is sent to a replica.
   *
   * @param needed how many have to go
   * @param evictable what the replica holds and no request uses
   * @return in the order in which they are to be evicted; fewer where too little is known
   */
  public long[] choose(String replica, Use use, int needed, Residency evictable, double now) {
    List<SequencedSet<Use>> kinds = ended.get(replica);
    if (kinds == null || needed <= 0) {
      return new long[0];
    }
    Set<Long> own = new HashSet<>();
    for (long block : use.blocks) {
      own.add(block);
    }
    Set<Use> seen = new HashSet<>();
    List<Long> chosen = new ArrayList<>();
    while (chosen.size() < needed && seen.size() < LOOKED_AT) {
      Use least = least(kinds, seen, now);
      if (least == null) {
        break;
      }
      int before = chosen.size();
      // The end of a chain goes before its beginning.
      for (int i = least.blocks.length - 1; i >= 0 && chosen.size() < needed; i--) {
        long block = least.blocks[i];
        if (lastUse.get(block) == least && evictable.holds(block) && !own.contains(block)) {
          chosen.add(block);
        }
      }
      if (chosen.size() == before) {
        kinds.get(least.kind).remove(least);
      } else {
        seen.add(least);
      }
    }
    return chosen.stream().mapToLong(Long::longValue).toArray();
  }

  /** Of each class the oldest and the latest come into question: the density has its peaks. */
  private Use least(List<SequencedSet<Use>> kinds, Set<Use> seen, double now) {
    Use least = null;
    double value = Double.POSITIVE_INFINITY;
    for (int kind = 0; kind < kinds.size(); kind++) {
      ReuseDensity density = densities.get(kind);
      if (!density.known()) {
        continue;
      }
      SequencedSet<Use> prompts = kinds.get(kind);
      for (SequencedSet<Use> from : List.of(prompts, prompts.reversed())) {
        Use first = first(from, seen);
        if (first == null) {
          continue;
        }
        double at = density.at(now - first.at);
        if (at < value || (at == value && least != null && first.at < least.at)) {
          value = at;
          least = first;
        }
      }
    }
    return least;
  }

  private static Use first(SequencedSet<Use> prompts, Set<Use> seen) {
    Iterator<Use> all = prompts.iterator();
    while (all.hasNext()) {
      Use one = all.next();
      if (!seen.contains(one)) {
        return one;
      }
    }
    return null;
  }
}
