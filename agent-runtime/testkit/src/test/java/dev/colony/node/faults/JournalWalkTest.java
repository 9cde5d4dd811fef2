package dev.colony.node.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentRun;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.node.faults.Outside.Deed;
import dev.colony.testkit.KillPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The process dies at each write that a run makes to the journal: just before, so that what was
 * done since the write before is not durable, and just after, so that no caller hears that it is.
 * The next process ends the run.
 */
class JournalWalkTest {

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverItDiesTheRunIsEndedAndNothingIsLostOrDoubled(KillPoint.Side side) {
    int writes =
        KillPoint.walk(
            side,
            point -> {
              try (Trial trial = new Trial()) {
                trial.live(point);
                List<String> journaled = trial.store.names();
                trial.live(KillPoint.never());
                check(trial, point + ", after " + journaled, List.of(journaled));
              }
            });
    System.out.println("walked " + writes + " writes, " + side);
    assertThat(writes).as("writes of the run").isGreaterThanOrEqualTo(15);
  }

  @Test
  @Tag("faults")
  void howeverOftenItDies() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int attempt = 0; attempt < 40; attempt++) {
      try (Trial trial = new Trial()) {
        StringBuilder deaths = new StringBuilder("seed " + seed + ": ");
        List<List<String>> journaled = new ArrayList<>();
        for (int life = 0; life < 5 && !trial.store.published(); life++) {
          KillPoint fault =
              KillPoint.at(
                  1 + random.nextInt(7),
                  random.nextBoolean() ? KillPoint.Side.BEFORE : KillPoint.Side.AFTER);
          trial.live(fault);
          deaths.append(fault);
          journaled.add(trial.store.names());
        }
        trial.live(KillPoint.never());
        check(trial, deaths.toString(), journaled);
      }
    }
  }

  /**
   * @param journaled what the journal held when each process died
   */
  private static void check(Trial trial, String when, List<List<String>> journaled) {
    AgentRun run = trial.result();
    JournalStore store = trial.store;
    assertThat(run.error()).as(when).isEmpty();
    assertThat(trial.publications()).as(when).hasSize(1);
    assertThat(trial.outside.offences()).as(when).isEmpty();
    assertThat(store.names())
        .as(when)
        .containsOnlyOnce("RunAccepted", "RunCompleted", "ResultPublished", "EventsTaken");
    for (String action : List.of("first", "send", "pay", "last")) {
      stands(trial, run.output().path(action), action, when);
    }
    boolean cutOff = journaled.stream().anyMatch(JournalWalkTest::inPayment);
    assertThat(trial.outside.deeds("pay")).as(when).hasSizeLessThanOrEqualTo(1);
    assertThat(run.output().path("pay").path("status").asText())
        .as(when)
        .isEqualTo(cutOff ? "INTERRUPTED" : "SUCCEEDED");
    assertThat(trial.outside.deeds("send"))
        .as(when)
        .isNotEmpty()
        .extracting(Deed::key)
        .containsOnly(trial.agent.persistenceId() + "/r1/1/send");
    said(store, run, when);
    askedAgain(trial, journaled.size(), when);
    assertThat(run.output().path("heard").toString()).as(when).isEqualTo("[\"go\"]");
  }

  /**
   * A death costs one reply at most: all others are journaled before the model is asked again, and
   * it is counted.
   */
  private static void askedAgain(Trial trial, int deaths, String when) {
    assertThat(trial.outside.repeatedCalls()).as(when).isLessThanOrEqualTo(deaths);
    assertThat(trial.askedAgain()).as(when).isGreaterThanOrEqualTo(trial.outside.repeatedCalls());
  }

  /** Whether a journal ends with the intent of the action that must not be repeated. */
  private static boolean inPayment(List<String> names) {
    return !names.isEmpty()
        && names.getLast().equals("ActionIntended")
        && names.stream().filter("ActionIntended"::equals).count() == 2;
  }

  /** The result that was journaled, once, is one that the world has given, and the run's. */
  private static void stands(Trial trial, JsonNode told, String action, String when) {
    List<JsonNode> journaled =
        trial.store.events(AgentEvent.StepCompleted.class).stream()
            .flatMap(step -> step.call().stream())
            .filter(call -> call.action().actionId().equals(action))
            .map(call -> call.result().output())
            .toList();
    assertThat(journaled).as(when).containsExactly(told.path("output"));
    if (told.path("status").asText().equals("SUCCEEDED")) {
      assertThat(trial.outside.deeds(action))
          .as(when)
          .extracting(Deed::receipt)
          .contains(told.path("output").asText());
    }
  }

  /** The policy has gone on from the replies that are journaled, and each is there once. */
  private static void said(JournalStore store, AgentRun run, String when) {
    List<String> replies =
        store.events(AgentEvent.ModelAnswered.class).stream()
            .map(answered -> answered.reply().text())
            .toList();
    assertThat(run.output().path("said"))
        .as(when)
        .extracting(JsonNode::asText)
        .containsExactlyElementsOf(replies);
    assertThat(replies)
        .as(when)
        .extracting(text -> text.substring(0, text.indexOf(' ')))
        .doesNotHaveDuplicates()
        .contains("0/plan", "0/check", "1/plan", "2/plan");
  }
}
