package dev.colony.agent.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.HomeResolver;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whoever waits for a result hears when none can come. */
class BlackboardRunTest {

  @Test
  void aBlackboardThatIsClosedEndsTheWaiting() {
    InMemoryBlackboards boards = new InMemoryBlackboards();
    var settings =
        ClientSettings.fromConfig(
            ConfigFactory.parseString("colony.agent.client.poll = 10ms")
                .withFallback(ConfigFactory.load()));
    RunHandle run =
        new BlackboardColony(boards, HomeResolver.byHash(1), settings)
            .agent(new AgentId("acme", "tests", "nobody"))
            .run(NullNode.getInstance(), RunOptions.namespace("test").runId(new RunId("r1")));
    run.stored().toCompletableFuture().join();
    boards.close();
    assertThatThrownBy(() -> run.result().toCompletableFuture().get(20, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(AgentException.class)
        .hasMessageStartingWith("the result of run r1 cannot be read: ");
  }
}
