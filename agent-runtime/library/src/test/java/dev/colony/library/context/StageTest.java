package dev.colony.library.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.BlackboardSettings.Events;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.library.context.Stage.StageProtocol;
import dev.colony.library.context.StageEvent.StageKind;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Clock;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A stage on a blackboard in memory. */
class StageTest {

  private final Blackboards blackboards = new InMemoryBlackboards();
  private final Blackboard board = blackboards.open(Scope.session("acme", "lab", "s1"), "test");
  private final Stage stage = new Stage(board, 200, 20, 3);

  @AfterEach
  void close() {
    blackboards.close();
  }

  @Test
  void whatWasEnteredStandsThereInItsOrder() {
    stage.enter(StageKind.SPOKE, "ada", "one");
    stage.enter(StageKind.ORACLE_SPOKE, "fate", "two");
    stage.enter(StageKind.SPOKE, "ada", "three");
    assertThat(stage.project().publicSpeech())
        .extracting(StageEvent::text)
        .containsExactly("one", "two", "three");
  }

  @Test
  void aReaderGoesOnWhereItStopped() {
    for (int i = 0; i < 7; i++) {
      stage.enter(StageKind.SPOKE, "ada", "line " + i);
    }
    assertThat(stage.project().publicSpeechCount()).isEqualTo(7);
    stage.enter(StageKind.SPOKE, "bob", "line 7");
    assertThat(stage.project().publicSpeechCount()).isEqualTo(8);
    assertThat(stage.project()).isEqualTo(new Stage(board, 200, 20, 500).project());
  }

  @Test
  void otherWritesAreNoEventsOfTheStage() {
    board.write(Write.value("result:run:1", "x")).toCompletableFuture().join();
    board.write(Write.value("stage:later.kind:ada", "x")).toCompletableFuture().join();
    board.write(Write.value("stage:agent.spoke:ada", "no text")).toCompletableFuture().join();
    assertThat(stage.project().publicSpeechCount()).isZero();
  }

  @Test
  void aGoalHoldsUntilItsEntryIsGone() {
    stage.enter(StageKind.GOAL, "host", "Agree.");
    assertThat(stage.project().goal()).contains("Agree.");
    board.delete("stage:goal.set:host").toCompletableFuture().join();
    assertThat(stage.project().goal()).isEmpty();
  }

  @Test
  void aGoalThatAnotherTookBackStillHolds() {
    stage.enter(StageKind.GOAL, "guest", "Dance.");
    stage.enter(StageKind.GOAL, "host", "Agree.");
    board.delete("stage:goal.set:guest").toCompletableFuture().join();
    assertThat(stage.project().goal()).contains("Agree.");
  }

  @Test
  void aStageThatWasClearedIsEmpty() {
    stage.enter(StageKind.GOAL, "host", "Agree.");
    stage.enter(StageKind.SPOKE, "ada", "one");
    stage.project();
    board.clear().toCompletableFuture().join();
    stage.enter(StageKind.SPOKE, "ada", "two");
    assertThat(stage.project().goal()).isEmpty();
    assertThat(stage.project().publicSpeech()).extracting(StageEvent::text).containsExactly("two");
  }

  @Test
  void aGoalHoldsThoughItsEventIsNoLongerStored() {
    BlackboardSettings few = BlackboardSettings.DEFAULTS.withEvents(new Events(4, 4, 1_000_000));
    try (Blackboards forgetful = new InMemoryBlackboards(few, Clock.systemUTC())) {
      Blackboard its = forgetful.open(Scope.session("acme", "lab", "s1"), "test");
      Stage old = new Stage(its);
      old.enter(StageKind.GOAL, "host", "Agree.");
      old.enter(StageKind.WORLD, "world", "A hall.");
      for (int i = 0; i < 600; i++) {
        old.enter(StageKind.SPOKE, "ada", "line " + i);
      }
      StageProjection late = new Stage(its).project();
      assertThat(late.publicSpeechCount()).isLessThan(600);
      assertThat(late.goal()).contains("Agree.");
      assertThat(late.currentScene()).contains("A hall.");
      assertThat(late.publicSpeech().getLast().text()).isEqualTo("line 599");
    }
  }

  @Test
  void aLongTextIsCutByWhoeverWroteIt() {
    stage.enter(StageKind.SPOKE, "ada", "x".repeat(50));
    board
        .write(new StageProtocol().write(StageKind.SPOKE, "bob", "y".repeat(50)))
        .toCompletableFuture()
        .join();
    assertThat(stage.project().publicSpeech())
        .extracting(StageEvent::text)
        .containsExactly("x".repeat(20) + "...", "y".repeat(20) + "...");
  }

  @Test
  void anAgentListensToAllButThoughts() {
    StageProtocol protocol = new StageProtocol();
    Set<StageKind> heard =
        Arrays.stream(StageKind.values())
            .filter(kind ->
                protocol.inputPatterns("ada").stream()
                    .anyMatch(glob -> glob.matches(protocol.key(kind, "bob"))))
            .collect(Collectors.toSet());
    assertThat(heard).hasSize(StageKind.values().length - 1).doesNotContain(StageKind.THOUGHT);
    assertThat(protocol.inputPatterns("ada")).hasSizeLessThanOrEqualTo(16);
  }
}
