package dev.colony.agent.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.ActionPolicy;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Decision;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.BeforeTry;
import org.junit.jupiter.api.Test;

/** Lives of an agent that handles events, on a blackboard that is written to all the while. */
class WokenLifeTest {

  private static final Map<Scope, Set<KeyGlob>> PATTERNS = Map.of(Life.SCOPE, Life.GLOBS);
  private static final ActionPolicy ECHO = view -> new Decision.Complete(view.request().input());
  private static final BooleanSupplier NEVER = () -> false;

  private LifeBoard board = new LifeBoard();
  private List<Position> expected = new ArrayList<>();

  @BeforeTry
  void clear() {
    board = new LifeBoard();
    expected = new ArrayList<>();
  }

  @Property
  void everyWriteIsHandledOnceAndInOrderWhateverCrashes(@ForAll long seed) {
    Life life = begin();
    Random random = new Random(seed);
    BooleanSupplier troubles =
        () -> {
          disturb(life, random);
          return random.nextInt(4) == 0;
        };
    life.recover();
    for (int i = 0; i < 30; i++) {
      disturb(life, random);
      life.step(troubles);
    }
    settle(life);
    assertThat(handled(life)).isEqualTo(expected);
    assertThat(life.state.outstanding()).isFalse();
    assertThat(Life.replay(life.journal)).isEqualTo(life.state);
  }

  @Property
  void anAgentWithNothingToDoHasNothingInTheIndexOfOutstandingWork(@ForAll long seed) {
    Life life = begin();
    Random random = new Random(seed);
    life.recover();
    for (int i = 0; i < 30; i++) {
      disturb(life, random);
      life.step(() -> random.nextInt(4) == 0);
      assertThat(outstanding(life.journal)).isEqualTo(life.state.outstanding());
    }
  }

  @Test
  void writesThatComeWhileARunIsUnderWayAreOneRunAfterIt() {
    Life life = begin();
    life.recover();
    life.live(NEVER);
    life.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT));
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
    life.live(NEVER);
    for (int i = 0; i < 3; i++) {
      life.tell(new AgentCommand.AcceptRun(Life.request("r" + i), Life.AT));
    }
    write("alarm:1", "someone");
    deliver(life);
    life.step(NEVER);
    assertThat(life.state.queue())
        .extracting(RunRequest::namespace)
        .containsExactly("test", "test", "test", EventBatch.NAMESPACE);
  }

  @Test
  void aScopeHasOneRunInTheQueueAtMost() {
    Life life = begin();
    life.recover();
    life.live(NEVER);
    life.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT));
    for (int i = 0; i < 3 * LifeBoard.LIMITS.events(); i++) {
      write("alarm:" + i, "someone");
    }
    deliver(life);
    do {
      assertThat(life.state.queue())
          .filteredOn(run -> run.namespace().equals(EventBatch.NAMESPACE))
          .hasSizeLessThan(2);
    } while (life.step(NEVER));
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
    Life before = new Life(ECHO, Map.of(), board, NEVER);
    before.recover();
    before.tell(new AgentCommand.AcceptRun(Life.request("r1"), Life.AT));
    before.live(NEVER);
    board.write("alarm:1", "someone");
    Life after = begin();
    after.journal.addAll(before.journal);
    after.recover();
    after.live(NEVER);
    write("alarm:2", "someone");
    settle(after);
    assertThat(handled(after)).isEqualTo(expected).hasSize(1);
  }

  @Test
  void aPatternThatIsGoneWakesNoMore() {
    Life before = begin();
    before.recover();
    before.live(NEVER);
    Life after = new Life(ECHO, Map.of(), board, NEVER);
    after.journal.addAll(before.journal);
    after.recover();
    after.live(NEVER);
    board.write("alarm:1", "someone");
    assertThat(board.pending()).isEmpty();
    assertThat(after.state.watches()).isEmpty();
  }

  @Test
  void writesThatAreNoLongerStoredAreSaidToBeMissed() {
    Life life = begin();
    life.recover();
    life.live(NEVER);
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
    life.live(NEVER);
    board.write("alarm:1", "someone");
    deliver(life);
    board.keep(0);
    settle(life);
    assertThat(batches(life)).containsExactly(new EventBatch(Life.SCOPE, List.of(), true));
  }

  private Life begin() {
    return new Life(ECHO, PATTERNS, board, NEVER);
  }

  /** Something happens at the blackboard, or in the inbox. */
  private void disturb(Life life, Random random) {
    switch (random.nextInt(8)) {
      case 0, 1 -> write("alarm:" + random.nextInt(3), "someone");
      case 2 -> write("other", "someone");
      case 3 -> write("alarm:own", Life.AGENT.persistenceId());
      case 4 -> deliver(life);
      case 5 -> board.pending().ifPresent(wake -> notice(life, wake));
      case 6 ->
          life.tell(new AgentCommand.AcceptRun(Life.request("r" + random.nextInt(1000)), Life.AT));
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
    life.live(NEVER);
    for (int wakes = 0; board.pending().isPresent(); wakes++) {
      assertThat(wakes).as("wakes for nothing").isLessThan(3);
      deliver(life);
      life.live(NEVER);
    }
  }

  private static List<Position> handled(Life life) {
    return batches(life).stream()
        .flatMap(batch -> batch.events().stream())
        .map(EventBatch.Event::position)
        .toList();
  }

  private static List<EventBatch> batches(Life life) {
    List<EventBatch> batches = new ArrayList<>();
    for (AgentRun run : life.published.values()) {
      Optional.of(run)
          .filter(ended -> ended.runId().value().startsWith("woken-"))
          .flatMap(ended ->
              EventBatch.of(
                  new RunRequest(
                      ExecutionContext.of(new AgentId("acme", "lab", "a"), ended.runId()),
                      EventBatch.NAMESPACE,
                      ended.output(),
                      "test",
                      Life.AT)))
          .ifPresent(batches::add);
    }
    return batches;
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
