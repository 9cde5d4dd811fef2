package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.BetweenCalls;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A run that no caller asked for makes an event known and ends while a subscriber begins to follow
 * it: at each pair of moments between the calls of the follower. It misses nothing, and needs no
 * poll.
 */
class ProgressRaceTest {

  private static final RunId RUN = new RunId("woken-1");

  /** More than a follower makes before it waits. */
  private static final int CALLS = 12;

  /** How many events a scope keeps. */
  private static final int KEPT = 6;

  /** Where runs are that no caller asks for. */
  private static final String WOKEN = "woken";

  private static final ClientSettings NEVER_POLLS =
      Settings.read(
          ClientSettings.class,
          ConfigFactory.parseString("colony.agent.client.poll = 1h")
              .withFallback(ConfigFactory.load()));

  private final InMemoryBlackboards boards =
      new InMemoryBlackboards(
          BlackboardSettings.DEFAULTS.withEvents(
              new BlackboardSettings.Events(KEPT, KEPT, 1 << 20)),
          Clock.systemUTC());

  private int agents;

  @AfterEach
  void close() {
    boards.close();
  }

  @ParameterizedTest(name = "something was written before: {0}")
  @ValueSource(booleans = {false, true})
  void whatIsWrittenWhileItIsLookedForIsNotMissed(boolean before) throws Exception {
    for (int event = 0; event <= CALLS; event++) {
      for (int end = event; end <= CALLS; end++) {
        for (Function<RunHandle, Flow.Publisher<RunProgress>> events : ways()) {
          Played run = new Played(before);
          BetweenCalls between =
              new BetweenCalls().before(event, run::emit).before(end, run::complete);
          Follower follower = Follower.of(events.apply(run.attached(between)));
          between.finish();
          assertThat(follower.ended().names())
              .as("the event before call %d, the end before call %d", event, end)
              .containsExactly("one", "completed");
        }
      }
    }
  }

  /** So much is written behind them that they are no longer stored. */
  @Test
  void whatIsGoneWhileItIsLookedForIsSaid() throws Exception {
    for (int event = 0; event <= CALLS; event++) {
      for (int end = event; end <= CALLS; end++) {
        String when = "the event before call %d, the end before call %d".formatted(event, end);
        Follower whole = followed(RunHandle::events, event, end);
        if (whole.failure() instanceof BlackboardException lost) {
          assertThat(lost.reason()).as(when).isEqualTo(Reason.EVENTS_LOST);
        } else {
          assertThat(whole.names()).as(when).containsExactly("one", "completed");
        }
        assertThat(followed(RunHandle::retained, event, end).ended().names())
            .as(when)
            .endsWith("completed");
      }
    }
  }

  private Follower followed(
      Function<RunHandle, Flow.Publisher<RunProgress>> events, int event, int end) {
    Played run = new Played(true);
    BetweenCalls between =
        new BetweenCalls()
            .before(event, run::emit)
            .before(end, run::complete)
            .before(end, () -> run.agent.stir(KEPT));
    Follower follower = Follower.of(events.apply(run.attached(between)));
    between.finish();
    return follower;
  }

  /**
   * Also where so much is written behind it that it is no longer stored as an event.
   *
   * @param behind how much
   */
  @ParameterizedTest(name = "{0} writes behind it")
  @ValueSource(ints = {0, KEPT})
  void aResultThatIsWrittenWhileItIsLookedForIsNotMissed(int behind) throws Exception {
    for (int end = 0; end <= CALLS; end++) {
      Played run = new Played(false);
      awaited(run, RUN, WOKEN, end, behind);
    }
  }

  /** Its request is no longer stored as an event when the waiting begins. */
  @ParameterizedTest(name = "{0} writes behind it")
  @ValueSource(ints = {0, KEPT})
  void aResultThatIsWrittenLongAfterItsRequestIsNotMissed(int behind) throws Exception {
    for (int end = 0; end <= CALLS; end++) {
      Played run = new Played(PlayedAgent.NAMESPACE);
      RunId asked = run.asked();
      run.agent.stir(2 * KEPT);
      awaited(run, asked, PlayedAgent.NAMESPACE, end, behind);
    }
  }

  private static void awaited(Played run, RunId id, String namespace, int end, int behind)
      throws Exception {
    BetweenCalls between =
        new BetweenCalls()
            .before(end, () -> run.agent.complete(id, NullNode.getInstance()))
            .before(end, () -> run.agent.stir(behind));
    CompletionStage<AgentRun> result = run.attached(between, id, namespace).result();
    between.finish();
    assertThat(result.toCompletableFuture().get(30, TimeUnit.SECONDS).status())
        .as("the end before call %d", end)
        .isEqualTo(Status.COMPLETED);
  }

  private static List<Function<RunHandle, Flow.Publisher<RunProgress>>> ways() {
    return List.of(RunHandle::events, RunHandle::retained);
  }

  /** A run of an agent of its own. */
  private final class Played {

    private final AgentId id = new AgentId("acme", "races", "a-" + agents++);
    private final PlayedAgent agent;

    Played(String namespace) {
      agent = new PlayedAgent(id, boards, namespace);
    }

    Played(boolean before) {
      this(WOKEN);
      if (before) {
        agent.stir(1);
      }
    }

    void emit() {
      agent.emit(RUN, "one", 1);
    }

    void complete() {
      agent.complete(RUN, NullNode.getInstance());
    }

    /** A run that a caller has asked for. */
    RunId asked() {
      RunHandle run =
          new BlackboardColony(boards, HomeResolver.byHash(1), NEVER_POLLS)
              .agent(id)
              .run(NullNode.getInstance(), RunOptions.namespace(PlayedAgent.NAMESPACE));
      run.stored().toCompletableFuture().join();
      return run.runId();
    }

    RunHandle attached(BetweenCalls between) {
      return attached(between, RUN, WOKEN);
    }

    RunHandle attached(BetweenCalls between, RunId run, String namespace) {
      return new BlackboardColony(between.over(boards), HomeResolver.byHash(1), NEVER_POLLS)
          .agent(id)
          .attach(run, RunOptions.namespace(namespace));
    }
  }
}
