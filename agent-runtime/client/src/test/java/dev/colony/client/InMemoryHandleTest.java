package dev.colony.client;

import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboards;
import dev.colony.client.directory.HomeResolver;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Clock;
import org.junit.jupiter.api.Nested;

class InMemoryHandleTest {

  private final Blackboards memory =
      new InMemoryBlackboards(HandleContract.SETTINGS, Clock.systemUTC());

  private final BlackboardColony colony =
      new BlackboardColony(memory, HomeResolver.byHash(1), HandleContract.CLIENT);

  /** Held by a program. */
  @Nested
  class Detached extends HandleContract {
    @Override
    protected Blackboards cluster() {
      return memory;
    }

    @Override
    protected Colony colony(AgentId id) {
      return colony;
    }
  }

  /** Held by another agent, on behalf of a run of its own. */
  @Nested
  class Owned extends HandleContract {
    @Override
    protected Blackboards cluster() {
      return memory;
    }

    @Override
    protected Colony colony(AgentId id) {
      AgentId owner = new AgentId(id.tenant(), id.colony(), "owner");
      return colony.within(ExecutionContext.of(owner, new RunId("of-owner")));
    }
  }
}
