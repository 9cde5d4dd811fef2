package dev.colony.testkit.incarnation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.RunId;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.EntityMachine.Reaction;
import dev.colony.testkit.Explorer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds in every state that two incarnations of one agent can come to. */
class IncarnationsTest {

  private final Incarnations incarnations = new Incarnations();

  /** Which messages the agent is sent, and to which depth that is explored. */
  private record Course(int depth, Set<Integer> messages) {}

  private static final List<Course> COURSES =
      List.of(
          new Course(13, Set.of(Incarnations.ACCEPT)),
          new Course(10, Set.of(Incarnations.ACCEPT, Incarnations.CANCEL)),
          new Course(10, Set.of(Incarnations.ACCEPT, Incarnations.STOP)),
          new Course(9, Set.of(Incarnations.ACCEPT, Incarnations.SUSPEND, Incarnations.RESUME)),
          new Course(
              7,
              Set.of(
                  Incarnations.ACCEPT,
                  Incarnations.SUSPEND,
                  Incarnations.RESUME,
                  Incarnations.CANCEL,
                  Incarnations.STOP)));

  @Test
  void nothingThatTwoIncarnationsDoBreaksAnInvariant() {
    explore(1);
  }

  @Test
  @Tag("faults")
  void norDoesItAStepDeeper() {
    explore(0);
  }

  /**
   * @param less steps fewer than each course has
   */
  private void explore(int less) {
    for (Course course : COURSES) {
      Explorer.Result explored =
          Explorer.of(
                  World.of(Incarnations.MESSAGES.size()),
                  world -> incarnations.successors(world, course.messages()))
              .invariant(
                  "no event of a fenced incarnation follows a later claim",
                  IncarnationsTest::noEventOfAFencedIncarnationFollowsALaterClaim)
              .invariant(
                  "a run is accepted once and ends once",
                  IncarnationsTest::aRunIsAcceptedOnceAndEndsOnce)
              .invariant(
                  "what a caller was told is durable",
                  IncarnationsTest::whatACallerWasToldIsDurable)
              .invariant(
                  "no action is executed under two keys, or before its intent",
                  IncarnationsTest::noActionIsExecutedUnderTwoKeysOrBeforeItsIntent)
              .invariant("no run has two results", IncarnationsTest::noRunHasTwoResults)
              .explore(course.depth() - less);
      System.out.printf(
          "explored %d states, %d transitions to depth %d with messages %s%n",
          explored.states(), explored.transitions(), course.depth() - less, course.messages());
    }
    System.out.println("reactions " + incarnations.reactions());
    assertThat(incarnations.reactions())
        .contains(
            Reaction.CLAIM,
            Reaction.CLAIM_WITH,
            Reaction.FENCE,
            Reaction.HANDLE,
            Reaction.STASH,
            Reaction.PROCEED,
            Reaction.RECONSIDER,
            Reaction.AWAIT_ACTION,
            Reaction.LEAVE_NOW);
  }

  private static void noEventOfAFencedIncarnationFollowsALaterClaim(World world) {
    int owner = -1;
    long incarnation = 0;
    for (World.Entry entry : world.journal()) {
      if (entry.event() instanceof AgentEvent.Claimed claimed) {
        assertThat(claimed.incarnation()).as("%s", world).isEqualTo(incarnation + 1);
        incarnation = claimed.incarnation();
        owner = entry.writer();
      } else if (!(entry.event() instanceof AgentEvent.Spawned)) {
        assertThat(entry.writer()).as("%s in %s", entry, world.journal()).isEqualTo(owner);
      }
    }
  }

  private static void aRunIsAcceptedOnceAndEndsOnce(World world) {
    Set<RunId> accepted = new HashSet<>();
    Set<RunId> published = new HashSet<>();
    int completed = 0;
    for (World.Entry entry : world.journal()) {
      if (entry.event() instanceof AgentEvent.RunAccepted run) {
        assertThat(accepted.add(run.request().runId())).as("%s", world.journal()).isTrue();
      } else if (entry.event() instanceof AgentEvent.RunCompleted) {
        completed++;
      } else if (entry.event() instanceof AgentEvent.ResultPublished run) {
        assertThat(accepted).contains(run.runId());
        assertThat(published.add(run.runId())).as("%s", world.journal()).isTrue();
      }
    }
    assertThat(completed).as("%s", world.journal()).isLessThanOrEqualTo(accepted.size());
  }

  private static void whatACallerWasToldIsDurable(World world) {
    assertThat(
            world.journal().stream()
                .map(World.Entry::event)
                .filter(AgentEvent.RunAccepted.class::isInstance)
                .map(event -> ((AgentEvent.RunAccepted) event).request().runId()))
        .containsAll(world.answered());
  }

  private static void noActionIsExecutedUnderTwoKeysOrBeforeItsIntent(World world) {
    world
        .keys()
        .forEach((action, keys) -> {
          assertThat(keys).as("keys of %s in %s", action, world.journal()).hasSize(1);
          assertThat(world.journal().stream().map(World.Entry::event))
              .as("the intent of %s", action)
              .anyMatch(event ->
                  event instanceof AgentEvent.ActionIntended intended
                      && intended.action().actionId().equals(action));
        });
  }

  private static void noRunHasTwoResults(World world) {
    world
        .results()
        .forEach((run, results) ->
            assertThat(results).as("results of %s in %s", run, world.journal()).hasSize(1));
  }
}
