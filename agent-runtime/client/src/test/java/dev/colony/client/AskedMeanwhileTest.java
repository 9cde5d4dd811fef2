package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.BetweenCalls;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.session.BlackboardSessions;
import dev.colony.core.dispatch.Backoff;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two clients ask for one run, the second between any two calls of the first: it is asked for once,
 * and a caller that asks for something else under the same key is told so.
 */
class AskedMeanwhileTest {

  private static final AgentId AGENT = new AgentId("acme", "races", "worker");
  private static final SessionId SESSION = new SessionId("s1");
  private static final RunOptions OPTIONS =
      RunOptions.namespace(PlayedAgent.NAMESPACE).idempotencyKey("order-7").session(SESSION);

  @ParameterizedTest(name = "the second asks for {0}")
  @ValueSource(strings = {"this", "that"})
  void aRunThatTwoAskForIsAskedForOnce(String second) {
    boolean over = false;
    for (int call = 0; !over; call++) {
      try (InMemoryBlackboards memory = new InMemoryBlackboards()) {
        BlackboardSessions sessions =
            new BlackboardSessions(memory, "acme", "races", InstantSource.system());
        join(sessions.open(SESSION, "tester"));
        RunHandle[] others = new RunHandle[1];
        BetweenCalls between =
            new BetweenCalls().before(call, () -> others[0] = ask(memory, second));
        RunHandle run = ask(between.over(memory), "this");
        over = !between.finish();
        List<Boolean> stored = List.of(stored(run), stored(others[0]));
        assertThat(stored)
            .as("asked before call %d", call)
            .containsExactlyInAnyOrder(true, second.equals("this"));
        assertThat(messages(memory)).as("asked before call %d", call).hasSize(1);
        assertThat(join(sessions.get(SESSION)).orElseThrow().totals().underWay())
            .as("asked before call %d", call)
            .isOne();
      }
    }
  }

  private static RunHandle ask(Blackboards boards, String what) {
    return new BlackboardColony(
            boards,
            HomeResolver.byHash(1),
            Settings.read(ClientSettings.class, ConfigFactory.load()))
        .agent(AGENT)
        .run(TextNode.valueOf(what), OPTIONS);
  }

  /** Whether it was taken; it is refused only for asking for something else. */
  private static boolean stored(RunHandle run) {
    return join(
        run.stored()
            .handle((done, failure) -> {
              if (failure != null) {
                assertThat(Backoff.cause(failure))
                    .isInstanceOf(AgentException.class)
                    .hasMessageContaining("with another input");
              }
              return failure == null;
            }));
  }

  private static List<InboxMessage> messages(Blackboards boards) {
    int bucket =
        InboxBucket.of(AGENT.scope().namespace(PlayedAgent.NAMESPACE), boards.inbox().buckets());
    return join(boards.inbox().pending(bucket, 100));
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
