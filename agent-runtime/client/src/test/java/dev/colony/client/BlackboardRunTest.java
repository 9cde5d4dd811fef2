package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.NullNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.GuardedBlackboards;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a caller waits for a result, and hears of it, or that none can come. */
class BlackboardRunTest {

  private static final AgentId AGENT = new AgentId("acme", "tests", "nobody");
  private static final RunOptions OPTIONS =
      RunOptions.namespace(PlayedAgent.NAMESPACE).runId(new RunId("r1"));

  private final InMemoryBlackboards boards =
      new InMemoryBlackboards(HandleContract.SETTINGS, Clock.systemUTC());
  private final PlayedAgent played = new PlayedAgent(AGENT, boards);

  @AfterEach
  void close() {
    boards.close();
  }

  @Test
  void aBlackboardThatIsClosedEndsTheWaiting() {
    RunHandle run = asked(boards, "10ms");
    CompletionStage<AgentRun> waiting = run.result();
    boards.close();
    for (CompletionStage<AgentRun> result : List.of(waiting, run.result())) {
      assertThatThrownBy(() -> HandleContract.get(result))
          .isInstanceOf(AgentException.class)
          .hasMessageStartingWith("the result of run r1 cannot be read: ");
    }
  }

  @Test
  void nobodyWaitsForAResultThatNobodyAsksFor() throws Exception {
    AtomicInteger waiting = new AtomicInteger();
    RunHandle run =
        asked(
            GuardedBlackboards.of(
                boards,
                (method, arguments, call) -> {
                  if (method.getName().equals("subscribe") && arguments[0] instanceof String) {
                    waiting.incrementAndGet();
                  }
                  return call.call();
                }),
            "1h");
    Follower follower = Follower.of(run.events());
    assertThat(waiting).hasValue(0);
    run.result();
    CompletionStage<AgentRun> again = run.result();
    assertThat(waiting).hasValue(1);
    played.complete(run.runId(), NullNode.getInstance());
    assertThat(HandleContract.get(again).status()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(follower.ended().names()).containsExactly("completed");
  }

  @Test
  void aRunWhoseRequestIsNoLongerAmongTheEvents() throws Exception {
    RunHandle before = asked(boards, "1h");
    RunHandle after = attached("1h");
    played.stir(HandleContract.KEPT * 3);
    CompletionStage<AgentRun> result = before.result();
    played.complete(before.runId(), NullNode.getInstance());
    assertThat(HandleContract.get(result).status()).isEqualTo(AgentRun.Status.COMPLETED);
    played.stir(HandleContract.KEPT * 3);
    assertThat(ended(after).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  /** The store has lost it: it went back to an older state. */
  @Test
  void aRequestThatIsGoneIsMadeAgain() throws Exception {
    RunHandle run = asked(boards, "10ms");
    CompletionStage<AgentRun> result = run.result();
    for (int i = 0; i < 2; i++) {
      played.forgets();
      await().until(() -> played.wasAsked(run.runId()));
    }
    played.complete(run.runId(), NullNode.getInstance());
    assertThat(HandleContract.get(result).status()).isEqualTo(AgentRun.Status.COMPLETED);
  }

  private static AgentRun ended(RunHandle run) throws Exception {
    return HandleContract.get(run.result());
  }

  private static RunHandle asked(Blackboards boards, String poll) {
    RunHandle run = agent(boards, poll).run(NullNode.getInstance(), OPTIONS);
    run.stored().toCompletableFuture().join();
    return run;
  }

  private RunHandle attached(String poll) {
    RunHandle run = agent(boards, poll).attach(new RunId("r1"), OPTIONS);
    run.stored().toCompletableFuture().join();
    return run;
  }

  private static AgentHandle agent(Blackboards boards, String poll) {
    ClientSettings settings =
        Settings.read(
            ClientSettings.class,
            ConfigFactory.parseString("colony.agent.client.poll = " + poll)
                .withFallback(ConfigFactory.load()));
    return new BlackboardColony(boards, HomeResolver.byHash(1), settings).agent(AGENT);
  }
}
