package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentRun.Status;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.PlayedPolicy;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.agent.fixture.Waiting;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.WriteResult;
import dev.colony.client.AgentSignal;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.lifecycle.ActiveRun.Grants;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.resumption.Rehoming;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;
import org.junit.jupiter.api.Test;

/** What an agent is told comes again, or late, when it has gone on: nothing is done twice. */
class WordsTest extends LiveFixture {

  private static final ResumptionCondition GO = new ResumptionCondition.Custom("go");

  @Test
  void aSuspensionThatIsDeliveredAgainWhenItIsOverIsNone() throws Exception {
    var latch = types.hold("a0");
    spawn(TestTypes.BLUEPRINT);
    RunHandle run = agent.run(TestTypes.input(1, "internal"), options("r1"));
    begun();
    AgentSignal.Given word = AgentSignal.suspend(id, Optional.of(GO), "for a while");
    Position said = say(word);
    awaitMoved(AgentState.SUSPENDED);
    latch.countDown();
    now(agent.signal("go", "now"));
    assertThat(result(run).status()).isEqualTo(Status.COMPLETED);

    deliverAgain(word, said);
    assertThat(suspensions()).isOne();
    assertThat(result(agent.run(TestTypes.input(1, "internal"), options("r2"))).status())
        .isEqualTo(Status.COMPLETED);
  }

  @Test
  void anAnswerToAnEarlierRunIsNoneToALaterOne() {
    asksForItsPublication();
    RunHandle first = run("r1", input("any", "thing"));
    awaitAsked(1);
    AgentSignal.Given word = approval("publish");
    Position said = say(word);
    assertThat(result(first).output().asText()).isEqualTo("published");
    // Given when no run had asked yet, and not delivered before one did.
    Position late = ((WriteResult.Written) now(board().write(word.write()))).position();

    RunHandle second = run("r2", input("any", "thing"));
    awaitAsked(2);
    deliverAgain(word, said);
    deliverAgain(word, late);
    assertThat(journaled(AgentEvent.Approved.class)).hasSize(1);
    say(word);
    assertThat(result(second).output().asText()).isEqualTo("published");
    assertThat(journaled(AgentEvent.Approved.class)).hasSize(2);
  }

  @Test
  void moreBudgetIsGrantedOnceByOneWord() {
    spawn(
        TestTypes.BLUEPRINT.budget(
            RunBudget.OF_NODE.iterations(1).whenSpent(RunBudget.WhenSpent.SUSPEND)));
    RunHandle run = agent.run(TestTypes.input(2, "internal"), options("r1"));
    await().until(() -> suspensions() == 1);
    AgentSignal.Given word = approval(Grants.BUDGET);
    Position said = say(word);
    await().until(() -> suspensions() == 2);
    deliverAgain(word, said);
    assertThat(journaled(AgentEvent.Approved.class)).hasSize(1);
    assertThat(suspensions()).isEqualTo(2);
    say(word);
    assertThat(result(run).output().asText()).isEqualTo("a0=SUCCEEDED a1=SUCCEEDED");
    assertThat(suspensions()).isEqualTo(2);
  }

  private void asksForItsPublication() {
    spawn(PlayedPolicy.BLUEPRINT);
    PlayedPolicy.play(
        id.name(),
        (context, state) ->
            state.approval("publish").isPresent()
                ? ActionPolicyIterationResult.completed(
                    ActionPolicyOutput.of(JsonNodeFactory.instance.textNode("published")))
                : ActionPolicyIterationResult.blocked(
                    "the editor has to agree", new ResumptionCondition.Approved("publish")));
  }

  private void awaitAsked(int times) {
    await().until(() -> suspensions() == times);
  }

  private long suspensions() {
    return journaled(AgentEvent.Transitioned.class).stream()
        .filter(moved -> moved.to() == AgentState.SUSPENDED)
        .count();
  }

  private AgentSignal.Given approval(String request) {
    return AgentSignal.approve(id, request, true, "lead", "go ahead");
  }

  /** Where it was said. */
  private Position say(AgentSignal.Given word) {
    return ((WriteResult.Written) now(board().send(word.write(), id.persistenceId()))).position();
  }

  private Blackboard board() {
    return boards.open(id.scope(), "someone");
  }

  /** As the inbox does where it has not heard that it was taken. */
  private void deliverAgain(AgentSignal.Given word, Position said) {
    AgentDirectory directory = new AgentDirectory(boards);
    EntityClient entities =
        new EntityClient(ClusterSharding.get(node.system()), Duration.ofSeconds(20));
    Rehoming stays =
        new Rehoming(
            Optional.empty(),
            directory,
            (unit, agent, to, reason) -> CompletableFuture.completedStage(false));
    SignalDelivery.ResumeService resumption =
        new SignalDelivery.ResumeService(
            directory, Waiting.on(boards, node.system().settings().config()), stays, entities);
    SignalDelivery delivery = new SignalDelivery(boards, directory, resumption, entities, stays);
    InboxMessage.Request message =
        new InboxMessage.Request(
            "again", id.persistenceId(), word.scope(), word.key(), said, word.value(), false);
    assertThat(now(delivery.deliver(message, word))).contains(message);
  }
}
