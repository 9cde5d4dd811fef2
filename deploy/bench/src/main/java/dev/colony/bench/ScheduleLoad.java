package dev.colony.bench;

import dev.colony.vcm.schedule.EvictionControl;
import java.util.List;
import java.util.OptionalDouble;

/**
 * What the bench of the scheduler runs on each trace.
 *
 * @param replicas how many, each with each of {@code cacheBlocks}
 * @param cacheBlocks that a replica holds
 * @param published the simulator's names of the policies that this scheduler is held against
 * @param oracle the simulator's name of the bound that no policy reaches
 * @param declared by agents; the first is that of the variants that differ in something else
 * @param boundsSeconds that agents wait at most; the first as above
 * @param evictions how caches are told what is wanted least; the first as above
 * @param staleSeconds by which a further variant hears late of caches; 0 for none
 * @param lost the share of evictions of which that variant never hears; 0 for none
 * @param speed how many times as fast as recorded requests come at eight replicas; by the kind of
 *     the trace where it is empty
 * @param requests of each trace that are replayed, the first; 0 for all
 */
record ScheduleLoad(
    List<Integer> replicas,
    List<Integer> cacheBlocks,
    List<String> published,
    String oracle,
    List<Declared> declared,
    List<Double> boundsSeconds,
    List<EvictionControl> evictions,
    double staleSeconds,
    double lost,
    OptionalDouble speed,
    int requests) {

  /** What agents tell the scheduler when a turn of theirs has ended. */
  enum Declared {
    NOTHING("", "nothing"),
    NEXT_USE("next_use", "next use"),
    PLAN("next_use,plan", "next use, turns left");

    private final String option;
    private final String words;

    Declared(String option, String words) {
      this.option = option;
      this.words = words;
    }

    /** As the simulator's option {@code --declare} has it. */
    String option() {
      return option;
    }

    String words() {
      return words;
    }
  }

  /** Replicas at which a trace is replayed at its own speed. */
  private static final double AT = 8;

  /** Chat as recorded leaves eight replicas too little to do. */
  private static final double CHAT = 1.5;

  ScheduleLoad {
    replicas = List.copyOf(replicas);
    cacheBlocks = List.copyOf(cacheBlocks);
    published = List.copyOf(published);
    declared = List.copyOf(declared);
    boundsSeconds = List.copyOf(boundsSeconds);
    evictions = List.copyOf(evictions);
    if (replicas.isEmpty()
        || cacheBlocks.isEmpty()
        || published.isEmpty()
        || declared.isEmpty()
        || boundsSeconds.isEmpty()
        || evictions.isEmpty()) {
      throw new IllegalArgumentException("a list is empty");
    }
  }

  /** The load grows with the replicas. */
  double speed(Trace trace, int count) {
    return speed.orElse(trace.sessions() ? 1 : CHAT) * count / AT;
  }
}
