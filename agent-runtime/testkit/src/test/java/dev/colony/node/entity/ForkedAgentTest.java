package dev.colony.node.entity;

import static dev.colony.node.entity.JournaledAgents.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.AgentView.MemoryView;
import dev.colony.agent.client.AgentView.OpenRunView;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.client.directory.DirectoryEntry.Origin;
import dev.colony.node.entity.EntityClient.AcceptReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Agents that begin with another's past. */
class ForkedAgentTest {

  private final JournaledAgents world = new JournaledAgents("colony.agent.snapshot-every = 10");
  private final AgentId origin = world.id("origin");
  private final AgentId fork = world.id("fork");

  @AfterEach
  void end() {
    world.close();
  }

  /** The origin is in the middle of an action that must not be repeated. */
  @Test
  void aForkGoesOnAtTheNextStepUnderKeysOfItsOwnAndRepeatsNothingOfItsOrigin() throws Exception {
    CountDownLatch held = world.types.hold("a2");
    ActorRef<AgentMessage> first = begin(4, "once");
    List<String> keys = new ArrayList<>();
    for (int action = 0; action < 3; action++) {
      keys.add(world.types.begun.poll(20, TimeUnit.SECONDS));
    }
    await()
        .until(
            () -> world.look(origin).openRun().stream().anyMatch(run -> !run.intended().isEmpty()));
    long now = world.look(origin).sequenceNr();

    assertThat(join(world.forking.fork(origin, now, fork)))
        .isEqualTo(new ForkReply.Forked(fork, origin, now));
    ActorRef<AgentMessage> second = world.start(fork);
    AgentView born = idle(fork);
    assertThat(born.memory()).isEqualTo(world.at(origin, now).memory());
    assertThat(born.runs()).isEmpty();
    assertThat(world.types.begun).isEmpty();

    world.types.releaseAll();
    world.accept(second, fork, "f1", TestTypes.input(4, "once"));
    AgentRun run = world.result(fork, "f1");
    assertThat(run.output().asText())
        .isEqualTo("a0=SUCCEEDED a1=SUCCEEDED a2=SUCCEEDED a3=SUCCEEDED");
    assertThat(world.result(origin, "r1").output()).isEqualTo(run.output());
    world.types.begun.drainTo(keys);
    assertThat(keys).hasSize(3 + 1 + 2).doesNotHaveDuplicates();
    assertThat(keys).filteredOn(key -> key.startsWith(fork.persistenceId() + "/f1/")).hasSize(2);

    world.accept(second, fork, "f2", TestTypes.input(1, "internal"));
    assertThat(world.result(fork, "f2").output().asText()).isEqualTo("a0=SUCCEEDED");
    assertThat(held.getCount()).isZero();
    world.stop(first);
  }

  @Test
  void aForkHasTheMindOfItsOriginAtWhateverNumber() {
    world.stop(completed(5, "internal"));
    long last = world.look(origin).sequenceNr();
    assertThat(last).isGreaterThan(15);
    for (long at = 1; at <= last; at++) {
      AgentId copy = world.id("fork-" + at);
      join(world.forking.fork(origin, at, copy));
      ActorRef<AgentMessage> actor = world.start(copy);
      AgentView born = idle(copy);
      MemoryView memory = world.at(origin, at).memory();
      assertThat(born.memory()).as("at " + at).isEqualTo(memory);
      world.stop(actor);
    }
  }

  @Test
  void aForkOfAForkAndOfOneThatWasRecoveredGoOnToo() {
    world.stop(completed(2, "internal"));
    long inTheRun = stepped(2);
    join(world.forking.fork(origin, inTheRun, fork));
    ActorRef<AgentMessage> child = world.start(fork);
    AgentId grandchild = world.id("grandchild");
    join(world.forking.fork(fork, idle(fork).sequenceNr(), grandchild));
    world.stop(child);
    ActorRef<AgentMessage> firstTime = world.start(grandchild);
    idle(grandchild);
    world.stop(firstTime);
    ActorRef<AgentMessage> again = world.start(grandchild);
    world.types.begun.clear();
    world.accept(again, grandchild, "g1", TestTypes.input(3, "internal"));
    assertThat(world.result(grandchild, "g1").output().asText())
        .isEqualTo("a0=SUCCEEDED a1=SUCCEEDED a2=SUCCEEDED");
    assertThat(world.types.begun).as("what was inherited is not repeated").hasSize(1);
  }

  @Test
  void whatCannotBeForkedIsRefusedAsData() {
    world.stop(completed(2, "internal"));
    long last = world.look(origin).sequenceNr();
    AgentId nobody = world.id("nobody");
    assertThat(join(world.forking.fork(nobody, 1, fork)))
        .isEqualTo(new ForkReply.NoSuchPast(new StateAt.Unknown(nobody)));
    assertThat(join(world.forking.fork(origin, last + 1, fork)))
        .isEqualTo(new ForkReply.NoSuchPast(new StateAt.NotYet(origin, last + 1, last)));
    AgentId elsewhere = new AgentId("rival", origin.colony(), "fork");
    assertThat(join(world.forking.fork(origin, 1, elsewhere)))
        .isEqualTo(new ForkReply.OtherColony(elsewhere, origin));
    join(world.agents.colony.spawn(world.id("taken"), TestTypes.BLUEPRINT));
    assertThat(join(world.forking.fork(origin, 1, world.id("taken"))))
        .isEqualTo(new ForkReply.Taken(world.id("taken")));
    assertThat(join(world.forking.fork(origin, 1, origin))).isEqualTo(new ForkReply.Taken(origin));

    ForkReply made = join(world.forking.fork(origin, 2, fork));
    assertThat(join(world.forking.fork(origin, 2, fork))).isEqualTo(made);
    assertThat(join(world.forking.fork(origin, 3, fork))).isEqualTo(new ForkReply.Taken(fork));
    assertThat(world.agents.colony.spawn(fork, TestTypes.BLUEPRINT).toCompletableFuture())
        .failsWithin(20, TimeUnit.SECONDS)
        .withThrowableThat()
        .withMessageContaining("exists as a fork of " + origin);
  }

  /** The origin lets go of the past between the asking and the birth. */
  @Test
  void aForkWhoseOriginHasForgottenSaysSoToWhoeverAsks() {
    world.stop(completed(2, "internal"));
    join(world.directory.fork(fork, 0, TestTypes.BLUEPRINT, new Origin(origin, 1_000)));
    ActorRef<AgentMessage> unborn = world.start(fork);
    AcceptReply reply = world.accept(unborn, fork, "f1", TestTypes.input(1, "internal"));
    assertThat(reply)
        .isInstanceOfSatisfying(
            AcceptReply.Rejected.class,
            rejected ->
                assertThat(rejected.reason()).contains("cannot be forked any more", "1000"));
    assertThat(join(world.history.at(fork, 1))).isEqualTo(new StateAt.Unknown(fork));
  }

  private ActorRef<AgentMessage> begin(int steps, String kind) {
    join(world.agents.colony.spawn(origin, TestTypes.BLUEPRINT));
    ActorRef<AgentMessage> actor = world.start(origin);
    world.accept(actor, origin, "r1", TestTypes.input(steps, kind));
    return actor;
  }

  private ActorRef<AgentMessage> completed(int steps, String kind) {
    ActorRef<AgentMessage> actor = begin(steps, kind);
    world.result(origin, "r1");
    await().until(() -> world.look(origin).runs().isEmpty());
    return actor;
  }

  /** The number at which so many actions are behind the origin. */
  private long stepped(int actions) {
    long at = 1;
    while (true) {
      List<ActionView> done =
          world.at(origin, at).openRun().map(OpenRunView::actions).orElse(List.of());
      if (done.size() == actions) {
        return at;
      }
      at++;
    }
  }

  private AgentView idle(AgentId agent) {
    await()
        .until(() ->
            join(world.history.at(agent, 1)) instanceof StateAt.Known
                && world.look(agent).state() == AgentState.IDLE);
    return world.look(agent);
  }
}
