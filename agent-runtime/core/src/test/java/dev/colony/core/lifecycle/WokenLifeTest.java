package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentState;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.StepRecords.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeTry;
import org.junit.jupiter.api.Test;

/** Lives of an agent that handles events, on a blackboard that is written to all the while. */
class WokenLifeTest {

  private static final Life.Nature DEAF = Life.Nature.of(Script.of());

  private LifeBoard board = new LifeBoard();
  private List<Position> expected = new ArrayList<>();

  @BeforeTry
  void clear() {
    board = new LifeBoard();
    expected = new ArrayList<>();
  }

  @Property(tries = 1_000)
  void everyWriteIsHandledOnceAndInOrderWhateverCrashes(@ForAll long seed) {
    Life life = begin();
    Random random = new Random(seed);
    life.recover();
    for (int i = 0; i < 30; i++) {
      disturb(life, random);
      life.step();
      if (random.nextInt(4) == 0) {
        life.recover();
      }
    }
    settle(life);
    assertThat(handled(life)).isEqualTo(expected);
    assertThat(life.state.outstanding()).isFalse();
    assertThat(Life.replay(life.journal)).isEqualTo(life.state);
  }

  @Property(tries = 1_000)
  void anAgentWithNothingToDoHasNothingInTheIndexOfOutstandingWork(@ForAll long seed) {
    Life life = begin();
    Random random = new Random(seed);
    life.recover();
    for (int i = 0; i < 30; i++) {
      disturb(life, random);
      life.step();
      if (random.nextInt(4) == 0) {
        life.recover();
      }
      assertThat(outstanding(life.journal)).isEqualTo(life.state.outstanding());
    }
  }

  @Test
  void writesThatComeWhileARunIsUnderWayAreOneRunAfterIt() {
    Life life = begin();
    life.recover();
    life.live();
    life.accept("r1");
    Position first = write("alarm:1", "someone");
    deliver(life);
    write("alarm:2", "someone");
    deliver(life);
    settle(life);
    assertThat(life.published.keySet().stream().map(id -> id.value().replaceAll("-.*-", "-")))
        .containsExactly("r1", "woken-" + first.ordinal());
    assertThat(handled(life)).isEqualTo(expected);
  }

  @Test
  void aRequestThatWasThereFirstIsNotOvertakenByEvents() {
    Life life = begin();
    life.recover();
    life.live();
    for (int i = 0; i < 3; i++) {
      life.accept("r" + i);
    }
    write("alarm:1", "someone");
    deliver(life);
    while (batches(life).isEmpty()) {
      life.step();
    }
    assertThat(life.state.queue())
        .extracting(run -> run.request().namespace())
        .containsExactly("test", "test", EventBatch.NAMESPACE);
  }

  @Test
  void aScopeHasOneRunInTheQueueAtMost() {
    Life life = begin();
    life.recover();
    life.live();
    life.accept("r1");
    for (int i = 0; i < 3 * LifeBoard.MOST_EVENTS; i++) {
      write("alarm:" + i, "someone");
    }
    deliver(life);
    do {
      assertThat(life.state.queue())
          .filteredOn(run -> run.request().namespace().equals(EventBatch.NAMESPACE))
          .hasSizeLessThan(2);
    } while (life.step());
    settle(life);
    assertThat(handled(life)).isEqualTo(expected);
  }

  @Test
  void anAgentThatIsSpawnedHandlesWhatWasWrittenBeforeItHasStarted() {
    Life life = begin();
    write("alarm:1", "someone");
    life.recover();
    settle(life);
    assertThat(handled(life)).isEqualTo(expected).hasSize(1);
  }

  @Test
  void aPatternThatComesLaterCountsFromThenOn() {
    Life before = new Life(DEAF, board);
    before.recover();
    before.accept("r1");
    before.live();
    board.write("alarm:1", "someone");
    Life after = begin();
    after.journal.addAll(before.journal);
    after.recover();
    after.live();
    write("alarm:2", "someone");
    settle(after);
    assertThat(handled(after)).isEqualTo(expected).hasSize(1);
  }

  @Test
  void aPatternThatIsGoneWakesNoMore() {
    Life before = begin();
    before.recover();
    before.live();
    Life after = new Life(DEAF, board);
    after.journal.addAll(before.journal);
    after.recover();
    after.live();
    board.write("alarm:1", "someone");
    assertThat(board.pending()).isEmpty();
    assertThat(after.state.watches()).isEmpty();
  }

  @Test
  void writesThatAreNoLongerStoredAreSaidToBeMissed() {
    Life life = begin();
    life.recover();
    life.live();
    for (int i = 0; i < 5; i++) {
      board.write("alarm:" + i, "someone");
    }
    deliver(life);
    board.keep(2);
    settle(life);
    assertThat(batches(life)).extracting(EventBatch::missed).containsExactly(true);
    assertThat(batches(life).getFirst().events())
        .extracting(EventBatch.Event::key)
        .containsExactly("alarm:3", "alarm:4");
  }

  @Test
  void thatAllWritesAreGoneIsARunToo() {
    Life life = begin();
    life.recover();
    life.live();
    board.write("alarm:1", "someone");
    deliver(life);
    board.keep(0);
    settle(life);
    assertThat(batches(life)).containsExactly(new EventBatch(Life.SCOPE, List.of(), true));
  }

  @Test
  void aPolicyThatTakesEventsGetsThemIntoTheRunThatWaits() {
    Life life = taking(Script.of(Script.Step.of(Script.End.IDLE)));
    life.accept("r1");
    life.live();
    assertThat(life.state.state()).isEqualTo(AgentState.WAITING);
    write("alarm:1", "someone");
    deliver(life);
    settle(life);
    assertThat(batches(life)).isEmpty();
    assertThat(delivered(life)).hasSize(1);
    assertThat(life.published).containsOnlyKeys(new RunId("r1"));
    assertThat(life.state.state()).isEqualTo(AgentState.IDLE);
  }

  @Test
  void aStepGetsTheEventsThatCameBeforeItAndNoneTwice() {
    Life life = taking(Script.of(Script.Step.of(Script.Act.INTERNAL)));
    life.accept("r1");
    write("alarm:1", "someone");
    deliver(life);
    life.live();
    assertThat(delivered(life)).hasSize(1);
    int delivery = indexOf(life, AgentEvent.EventsTaken.class);
    assertThat(life.journal.subList(delivery, life.journal.size()))
        .filteredOn(AgentEvent.StepCompleted.class::isInstance)
        .hasSize(1);
  }

  @Test
  void withoutAnOpenRunEventsAreARunWhateverThePolicyTakes() {
    Life life = taking(Script.of());
    write("alarm:1", "someone");
    deliver(life);
    settle(life);
    assertThat(batches(life)).hasSize(1);
    assertThat(delivered(life)).isEmpty();
  }

  @Test
  void aRunThatEventsStartedEndsWhereItHasNothingToDo() {
    Life life = taking(Script.of(Script.Step.of(Script.End.IDLE)));
    write("alarm:1", "someone");
    deliver(life);
    settle(life);
    assertThat(life.published.values())
        .extracting(run -> run.status() + " " + run.output())
        .containsExactly("COMPLETED null");
  }

  @Test
  void aRunThatEventsStartedTakesMoreWhileItIsBlocked() {
    Life life = taking(Script.of(Script.Step.of(Script.End.BLOCKED)));
    write("alarm:1", "someone");
    deliver(life);
    life.live();
    assertThat(life.state.state()).isEqualTo(AgentState.WAITING);
    write("alarm:2", "someone");
    deliver(life);
    settle(life);
    assertThat(batches(life)).hasSize(1);
    assertThat(delivered(life)).hasSize(1);
  }

  @Test
  void aRunThatWaitsForSomethingElseIsNotWokenByEventsThatItsPolicyDoesNotTake() {
    Life life =
        new Life(Life.Nature.of(Script.of(Script.Step.of(Script.End.BLOCKED))).woken(false), board);
    life.recover();
    life.live();
    life.accept("r1");
    life.live();
    write("alarm:1", "someone");
    deliver(life);
    life.live();
    assertThat(life.state.state()).isEqualTo(AgentState.WAITING);
    life.command(LifecycleCommand.UNBLOCK);
    settle(life);
    assertThat(life.published.keySet().iterator().next()).isEqualTo(new RunId("r1"));
    assertThat(batches(life)).hasSize(1);
  }

  private Life taking(Script script) {
    Life life = new Life(Life.Nature.of(script).woken(true), board);
    life.recover();
    life.live();
    return life;
  }

  private static int indexOf(Life life, Class<?> type) {
    return life.journal.indexOf(
        life.journal.stream().filter(type::isInstance).findFirst().orElseThrow());
  }

  private Life begin() {
    return new Life(DEAF.woken(false), board);
  }

  /** Something happens at the blackboard, or in the inbox. */
  private void disturb(Life life, Random random) {
    switch (random.nextInt(8)) {
      case 0, 1 -> write("alarm:" + random.nextInt(3), "someone");
      case 2 -> write("other", "someone");
      case 3 -> write("alarm:own", Life.AGENT.persistenceId());
      case 4 -> deliver(life);
      case 5 -> board.pending().ifPresent(wake -> notice(life, wake));
      case 6 -> life.accept("r" + random.nextInt(1000));
      default -> {}
    }
  }

  private Position write(String key, String writer) {
    Position position = board.write(key, writer);
    if (key.startsWith("alarm:") && writer.equals("someone")) {
      expected.add(position);
    }
    return position;
  }

  /** Takes the pending wake to the agent and acknowledges it, if it is taken. */
  private void deliver(Life life) {
    board.pending().filter(wake -> notice(life, wake)).ifPresent(board::acknowledge);
  }

  private static boolean notice(Life life, InboxMessage.Wake wake) {
    if (!life.watching()) {
      return false;
    }
    Verdict verdict =
        life.tell(new AgentCommand.NoticeEvents(wake.scope(), wake.position(), Life.AT));
    assertThat(verdict).isNotInstanceOf(Verdict.Refused.class);
    return true;
  }

  private void settle(Life life) {
    life.live();
    for (int wakes = 0; board.pending().isPresent(); wakes++) {
      assertThat(wakes).as("wakes for nothing").isLessThan(3);
      deliver(life);
      life.live();
    }
  }

  private static List<Position> handled(Life life) {
    return batches(life).stream()
        .flatMap(batch -> batch.events().stream())
        .map(EventBatch.Event::position)
        .toList();
  }

  /** What the agent was given, in runs of their own. */
  private static List<EventBatch> batches(Life life) {
    return life.journal.stream()
        .filter(AgentEvent.RunAccepted.class::isInstance)
        .flatMap(event -> EventBatch.of(((AgentEvent.RunAccepted) event).request()).stream())
        .toList();
  }

  /** What it was given into a run that was open. */
  private static List<EventBatch> delivered(Life life) {
    return life.journal.stream()
        .filter(AgentEvent.EventsTaken.class::isInstance)
        .flatMap(event -> ((AgentEvent.EventsTaken) event).delivered().stream())
        .toList();
  }

  /** What the tags of the events come to. */
  private static boolean outstanding(List<AgentEvent> journal) {
    boolean outstanding = false;
    for (AgentEvent event : journal) {
      outstanding = event.outstanding().orElse(outstanding);
    }
    return outstanding;
  }
}
