package dev.colony.vcm.schedule.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
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
 * Every order in which two agents, two holders, two replicas and the network can act, by breadth
 * first over the real authority, scheduler and holders: no two leases of an agent at different
 * replicas, no agent that waits for ever, claims that are the residents', no block evicted of a
 * turn that runs.
 */
@Tag("faults")
class LeaseExplorationTest {

  /** How many steps without anything that goes wrong all agents may take to end. */
  private static final int CALM = 400;

  private record Reached(int before, LeaseWorld.Step step) {}

  /** What was found: the number of states, and of steps between them. */
  private static final class Search {
    final Map<String, Integer> numbers = new HashMap<>();
    final List<Reached> reached = new ArrayList<>();
    final List<List<Integer>> predecessors = new ArrayList<>();
    final List<Integer> done = new ArrayList<>();
    long steps;

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

    void run(LeaseWorld first, int most) {
      Deque<Map.Entry<Integer, LeaseWorld>> open = new ArrayDeque<>();
      numbers.put(hash(first.fingerprint()), 0);
      reached.add(new Reached(-1, null));
      predecessors.add(new ArrayList<>());
      open.add(Map.entry(0, first));
      while (!open.isEmpty()) {
        Map.Entry<Integer, LeaseWorld> one = open.remove();
        if (one.getValue().done()) {
          done.add(one.getKey());
        }
        for (LeaseWorld.Step step : one.getValue().steps()) {
          LeaseWorld next = DeepCopy.of(one.getValue());
          Optional<String> wrong = next.happens(step);
          steps++;
          if (wrong.isPresent()) {
            List<LeaseWorld.Step> path = path(one.getKey());
            path.add(step);
            fail(wrong.get() + " after " + path);
          }
          String hash = hash(next.fingerprint());
          Integer known = numbers.putIfAbsent(hash, reached.size());
          if (known == null) {
            known = reached.size();
            reached.add(new Reached(one.getKey(), step));
            predecessors.add(new ArrayList<>());
            open.add(Map.entry(known, next));
            assertThat(reached.size()).as("states").isLessThan(most);
          }
          predecessors.get(known).add(one.getKey());
        }
      }
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
      boolean[] ends = new boolean[reached.size()];
      Deque<Integer> open = new ArrayDeque<>(done);
      done.forEach(state -> ends[state] = true);
      while (!open.isEmpty()) {
        for (int before : predecessors.get(open.remove())) {
          if (!ends[before]) {
            ends[before] = true;
            open.add(before);
          }
        }
      }
      List<Integer> stuck = new ArrayList<>();
      for (int i = 0; i < ends.length; i++) {
        if (!ends[i]) {
          stuck.add(i);
        }
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
    // lost, doubled, restarts, moves, changes, turns, second replica
    "0, 0, 0, 0, 0, 2, false",
    "1, 0, 0, 0, 0, 1, false",
    "0, 1, 0, 0, 0, 1, false",
    "0, 0, 1, 0, 0, 1, false",
    "0, 0, 0, 1, 0, 1, true",
    "0, 0, 0, 0, 2, 1, true",
  })
  void everyOrderOfWhatMayHappenIsSafeAndEnds(
      int lost, int doubled, int restarts, int moves, int changes, int turns, boolean second) {
    explore(new LeaseWorld.Budget(lost, doubled, restarts, moves, changes), turns, second, 400_000);
  }

  @Property(tries = 300)
  void longWalksAreSafeAndEnd(@ForAll long seed) {
    Random random = new Random(seed);
    LeaseWorld world =
        new LeaseWorld(
            new LeaseWorld.Budget(6, 4, 2, 3, 4), 2 + random.nextInt(5), random.nextBoolean());
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
