package dev.colony.vcm.schedule.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every order in which two agents, two holders, two replicas and the network can act, depth first
 * over the real authority, scheduler and holders: no two leases of an agent at different replicas,
 * no agent that waits for ever, claims that are the residents', no block evicted of a turn that
 * runs. The first authority may learn at any time that none was before it.
 */
class LeaseExplorationTest {

  /** How many steps without anything that goes wrong all agents may take to end. */
  private static final int CALM = 400;

  /** What was found: the states, each with a step that leads to it, and all steps between them. */
  private static final class Search {

    private record Reached(int before, LeaseWorld.Step step) {}

    /** A state whose steps are being taken. */
    private record Open(int number, LeaseWorld world, Iterator<LeaseWorld.Step> steps) {}

    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<Reached> reached = new ArrayList<>();
    private final List<Integer> done = new ArrayList<>();
    private int[] from = new int[1 << 16];
    private int[] to = new int[1 << 16];
    private int steps;

    private static String hash(String fingerprint) {
      try {
        byte[] digest =
            MessageDigest.getInstance("SHA-256")
                .digest(fingerprint.getBytes(StandardCharsets.UTF_8));
        return new String(digest, 0, 16, StandardCharsets.ISO_8859_1);
      } catch (NoSuchAlgorithmException impossible) {
        throw new IllegalStateException(impossible);
      }
    }

    /** Takes every step from every state, depth first, so that few states are in memory at once. */
    void run(LeaseWorld first, int most) {
      Deque<Open> open = new ArrayDeque<>();
      numbers.put(hash(first.fingerprint()), 0);
      reached.add(new Reached(-1, null));
      open.push(new Open(0, first, first.steps().iterator()));
      while (!open.isEmpty()) {
        Open at = open.peek();
        if (!at.steps().hasNext()) {
          open.pop();
          continue;
        }
        LeaseWorld.Step step = at.steps().next();
        // The last step is taken from the state itself, which nothing needs after it.
        LeaseWorld next = at.steps().hasNext() ? DeepCopy.of(at.world()) : at.world();
        Optional<String> wrong = next.happens(step);
        if (wrong.isPresent()) {
          List<LeaseWorld.Step> path = path(at.number());
          path.add(step);
          fail(wrong.get() + " after " + path);
        }
        String hash = hash(next.fingerprint());
        Integer known = numbers.putIfAbsent(hash, reached.size());
        if (known == null) {
          known = reached.size();
          reached.add(new Reached(at.number(), step));
          assertThat(known).as("states").isLessThan(most);
          if (next.done()) {
            done.add(known);
          }
          open.push(new Open(known, next, next.steps().iterator()));
        }
        edge(at.number(), known);
      }
    }

    private void edge(int one, int other) {
      if (steps == from.length) {
        from = Arrays.copyOf(from, 2 * steps);
        to = Arrays.copyOf(to, 2 * steps);
      }
      from[steps] = one;
      to[steps++] = other;
    }

    List<LeaseWorld.Step> path(int state) {
      List<LeaseWorld.Step> path = new ArrayList<>();
      for (int at = state; reached.get(at).before() >= 0; at = reached.get(at).before()) {
        path.add(reached.get(at).step());
      }
      Collections.reverse(path);
      return path;
    }

    /** The states from which the agents cannot all end any more. */
    List<Integer> stuck() {
      int[] first = new int[reached.size() + 1];
      for (int i = 0; i < steps; i++) {
        first[to[i] + 1]++;
      }
      for (int i = 0; i < reached.size(); i++) {
        first[i + 1] += first[i];
      }
      int[] before = new int[steps];
      int[] next = Arrays.copyOf(first, first.length);
      for (int i = 0; i < steps; i++) {
        before[next[to[i]]++] = from[i];
      }
      BitSet ends = new BitSet();
      Deque<Integer> open = new ArrayDeque<>(done);
      done.forEach(ends::set);
      while (!open.isEmpty()) {
        int state = open.remove();
        for (int i = first[state]; i < first[state + 1]; i++) {
          if (!ends.get(before[i])) {
            ends.set(before[i]);
            open.add(before[i]);
          }
        }
      }
      List<Integer> stuck = new ArrayList<>();
      for (int i = ends.nextClearBit(0); i < reached.size(); i = ends.nextClearBit(i + 1)) {
        stuck.add(i);
      }
      return stuck;
    }
  }

  private static void explore(LeaseWorld.Budget budget, int turns, boolean second, int most) {
    Search search = new Search();
    search.run(new LeaseWorld(budget, turns, second), most);
    System.out.println(
        budget
            + ", turns "
            + turns
            + ", second replica "
            + second
            + ": "
            + search.reached.size()
            + " states, "
            + search.steps
            + " steps");
    List<Integer> stuck = search.stuck();
    if (!stuck.isEmpty()) {
      fail(stuck.size() + " states without an end, as after " + search.path(stuck.getFirst()));
    }
    // The same steps from the start lead to the same state.
    for (int state = 0; state < search.reached.size(); state += 1 + search.reached.size() / 50) {
      LeaseWorld again = new LeaseWorld(budget, turns, second);
      search.path(state).forEach(again::happens);
      assertThat(search.numbers.get(Search.hash(again.fingerprint()))).isEqualTo(state);
    }
  }

  @ParameterizedTest
  @CsvSource({
    // lost, doubled, overtaken, late, restarts, moves, changes, turns, second replica
    "0, 0, 0, 0, 0, 0, 0, 2, false",
    "1, 0, 0, 0, 0, 0, 0, 1, false",
    "0, 1, 0, 0, 0, 0, 0, 1, false",
    "0, 0, 1, 0, 0, 0, 0, 1, false",
    "0, 0, 0, 1, 0, 0, 0, 1, false",
    "0, 0, 0, 0, 1, 0, 0, 1, false",
    "0, 0, 0, 0, 0, 1, 0, 1, true",
    "0, 0, 0, 0, 0, 0, 1, 1, true",
  })
  void everyOrderOfWhatMayHappenIsSafeAndEnds(
      int lost,
      int doubled,
      int overtaken,
      int late,
      int restarts,
      int moves,
      int changes,
      int turns,
      boolean second) {
    explore(
        new LeaseWorld.Budget(lost, doubled, overtaken, late, restarts, moves, changes),
        turns,
        second,
        3_000_000);
  }

  @ParameterizedTest
  @Tag("faults")
  @CsvSource({
    "1, 0, 0, 0, 1, 0, 0, 1, false",
    "0, 1, 1, 1, 0, 0, 0, 1, false",
    "0, 0, 0, 0, 1, 0, 1, 1, true",
    "1, 1, 0, 0, 1, 0, 0, 1, false",
    "1, 0, 1, 1, 1, 0, 0, 1, false",
    "1, 0, 0, 0, 0, 1, 0, 1, false",
    "1, 0, 0, 0, 0, 0, 1, 2, false",
    "0, 0, 0, 0, 1, 1, 0, 1, true",
    "0, 0, 0, 0, 0, 1, 1, 1, true",
  })
  void soAreMoreFaultsAtATime(
      int lost,
      int doubled,
      int overtaken,
      int late,
      int restarts,
      int moves,
      int changes,
      int turns,
      boolean second) {
    explore(
        new LeaseWorld.Budget(lost, doubled, overtaken, late, restarts, moves, changes),
        turns,
        second,
        3_000_000);
  }

  @Property(tries = 300)
  void longWalksAreSafeAndEnd(@ForAll long seed) {
    Random random = new Random(seed);
    LeaseWorld world =
        new LeaseWorld(
            new LeaseWorld.Budget(6, 4, 6, 6, 2, 3, 4),
            2 + random.nextInt(5),
            random.nextBoolean());
    List<LeaseWorld.Step> path = new ArrayList<>();
    for (int i = 0; i < 400 && !world.done(); i++) {
      List<LeaseWorld.Step> steps = world.steps();
      happens(world, steps.get(random.nextInt(steps.size())), path);
    }
    for (int i = 0; i < CALM && !world.done(); i++) {
      happens(world, world.calm(), path);
    }
    assertThat(world.done()).as("all agents end after %s", path).isTrue();
  }

  private static void happens(LeaseWorld world, LeaseWorld.Step step, List<LeaseWorld.Step> path) {
    path.add(step);
    world.happens(step).ifPresent(wrong -> fail(wrong + " after " + path));
  }
}
