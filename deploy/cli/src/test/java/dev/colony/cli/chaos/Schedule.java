package dev.colony.cli.chaos;

import dev.colony.cli.chaos.Fault.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Which faults come in which order, drawn from a seed and without an end. Nodes and Redis have a
 * schedule each, so that faults of the one fall into those of the other. Kinds are dealt like
 * cards: none comes again before all have come.
 */
final class Schedule {

  static final List<Kind> OF_NODES = List.of(Kind.KILL, Kind.FREEZE, Kind.TERMINATE);
  static final List<Kind> OF_REDIS = List.of(Kind.CUT_REDIS, Kind.KILL_REDIS, Kind.ROLL_BACK_REDIS);

  private final Random random;
  private final int nodes;
  private final Duration freeze;
  private final int leastMillis;
  private final List<Kind> deck;
  private final List<Kind> left = new ArrayList<>();

  private Schedule(long seed, List<Kind> deck, int nodes, Duration freeze, int leastMillis) {
    this.random = new Random(seed);
    this.nodes = nodes;
    this.freeze = freeze;
    this.leastMillis = leastMillis;
    this.deck = deck;
  }

  /**
   * Faults of nodes.
   *
   * @param freeze how long a frozen node stays so at least; up to 5 s longer
   */
  static Iterator<Fault> ofNodes(long seed, int nodes, Duration freeze) {
    Schedule schedule = new Schedule(seed, OF_NODES, nodes, freeze, 1_000);
    return Stream.generate(schedule::next).iterator();
  }

  /** Faults of Redis. */
  static Iterator<Fault> ofRedis(long seed) {
    Schedule schedule = new Schedule(~seed, OF_REDIS, 1, Duration.ZERO, 5_000);
    return Stream.generate(schedule::next).iterator();
  }

  private Fault next() {
    if (left.isEmpty()) {
      left.addAll(deck);
      Collections.shuffle(left, random);
    }
    Kind kind = left.removeFirst();
    Duration lasts =
        switch (kind) {
          case KILL, TERMINATE -> millis(0, 3_000);
          case FREEZE -> freeze.plus(millis(0, 5_000));
          case CUT_REDIS, KILL_REDIS -> millis(300, 4_000);
          case ROLL_BACK_REDIS -> millis(500, 1_500);
        };
    return new Fault(kind, random.nextInt(nodes), millis(leastMillis, 3 * leastMillis), lasts);
  }

  private Duration millis(int least, int most) {
    return Duration.ofMillis(random.nextInt(least, most));
  }
}
