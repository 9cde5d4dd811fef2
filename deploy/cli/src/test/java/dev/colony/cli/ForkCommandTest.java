package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.client.ColonyClient;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is made of an agent's past. */
class ForkCommandTest extends ToldAgent {

  @Test
  void anAgentIsForkedFromAnyPlaceOfItsPast() {
    AgentId fork = new AgentId(id.tenant(), id.colony(), "f-" + UUID.randomUUID());
    Rig.assertOneLine(
        rig.colony("fork", id.toString(), fork.name(), "--at", "99"), 1, "has come to 3");
    assertThat(rig.colony("fork", id.toString(), fork.name(), "--wait", "1ms").out())
        .isEqualTo(fork + " is told, and has not taken it yet: it is INITIALIZED\n");
    rig.born(fork, BLUEPRINT);
    assertThat(done("fork", id.toString(), fork.name(), "--at", "3").out())
        .isEqualTo("%s is a fork of %s at 3\n".formatted(fork, id));
    Rig.assertOneLine(
        rig.colony("fork", id.toString(), fork.name(), "--at", "2"),
        1,
        "there is an agent " + fork);
    Rig.assertOneLine(rig.colony("fork", id.toString(), "a b"), 2, "a b");
    Rig.assertOneLine(
        rig.colony("fork", "acme/told/ghost", "x"), 1, "there is no agent acme/told/ghost");
  }

  @Test
  void aProgramReadsThePastWithTheUrlOfRedisAlone() {
    rig.journal(id, suspended(SuspensionCause.EXPLICIT, Optional.empty()));
    try (ColonyClient client = ColonyClient.connect(rig.redisUri())) {
      AgentHandle agent = client.colony().agent(id);
      HistoryPage page = agent.history(Optional.empty(), 10).toCompletableFuture().join();
      assertThat(page.entries()).extracting(HistoryEntry::sequenceNr).endsWith(4L);
      StateAt.Known before = (StateAt.Known) agent.at(3).toCompletableFuture().join();
      assertThat(before.agent().state()).isEqualTo(AgentState.IDLE);
      assertThat(agent.at(9).toCompletableFuture().join()).isInstanceOf(StateAt.NotYet.class);
    }
  }
}
