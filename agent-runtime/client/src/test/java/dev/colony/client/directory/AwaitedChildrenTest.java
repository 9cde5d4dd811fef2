package dev.colony.client.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Children.Child;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.agent.client.Colony;
import dev.colony.agent.fixture.BetweenCalls;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A child ends while its parent begins to await it, who hears of it without a poll. */
@Timeout(30)
class AwaitedChildrenTest {

  /** Its end is looked at once more when the time is over, which must not be what helps. */
  private static final Duration NEVER = Duration.ofHours(1);

  private static final HomeResolver HOMES = HomeResolver.byHash(4);
  private static final AgentBlueprint WORKER = AgentBlueprint.of(Blueprint.of("test.worker"));
  private static final ChildrenSettings SETTINGS = new ChildrenSettings(100, 8, 100);
  private static final AgentId PARENT = new AgentId("acme", "races", "parent");
  private static final AgentId CHILD = new AgentId("acme", "races", "child");

  /** The parent reads its list, subscribes, looks at the states, and again once it hears. */
  @ParameterizedTest(name = "before call {0}")
  @ValueSource(ints = {0, 1, 2, 3})
  void aChildThatEndsWhileItBeginsToBeAwaitedIsNotMissed(int call) throws Exception {
    try (InMemoryBlackboards memory = new InMemoryBlackboards()) {
      colony(memory).spawn(PARENT, WORKER).toCompletableFuture().join();
      children(memory).spawn(CHILD.name(), WORKER, OnParentStop.STOP);
      BetweenCalls between = new BetweenCalls().before(call, () -> end(memory));
      assertThat(children(between.over(memory)).await(Set.of(CHILD), NEVER))
          .extracting(Child::state)
          .containsExactly(AgentState.STOPPED);
    }
  }

  private static void end(Blackboards boards) {
    new ChildRegistry(boards, HOMES, SETTINGS)
        .announce(CHILD, AgentState.STOPPED, Optional.empty())
        .toCompletableFuture()
        .join();
  }

  private static Children children(Blackboards boards) {
    ChildRegistry nursery = new ChildRegistry(boards, HOMES, SETTINGS);
    return new ChildService(boards, nursery, colony(boards), NEVER)
        .of(PARENT, () -> ExecutionContext.of(PARENT, new RunId("r1")), () -> WhileWaiting.NOTHING);
  }

  private static Colony colony(Blackboards boards) {
    return new BlackboardColony(
        boards, HOMES, Settings.read(ClientSettings.class, ConfigFactory.load()));
  }
}
