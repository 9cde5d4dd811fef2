package dev.colony.node.activation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.ActionHistory;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.dispatch.ActionThreads;
import dev.colony.core.dispatch.CapabilityDispatcher;
import dev.colony.core.dispatch.DispatchSettings;
import dev.colony.core.lifecycle.SharedActionHistory;
import dev.colony.core.registry.AgentTypes;
import dev.colony.library.policy.PlanningContext;
import dev.colony.library.policy.PlanningFormat;
import dev.colony.library.policy.PromptLayers;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.library.research.NoJournal;
import java.time.Instant;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A step of a long run reads no more of the run's history than a step of a short one. */
class HistoryCostTest {

  private static final int SHORT = 100;
  private static final int LONG = 10_000;

  /** Counts what is read. */
  private static final class Counted extends AbstractList<ActionCall> implements ActionHistory {

    private final SharedActionHistory calls;
    private int reads;

    Counted(SharedActionHistory calls) {
      this.calls = calls;
    }

    @Override
    public ActionCall get(int index) {
      reads++;
      return calls.get(index);
    }

    @Override
    public int size() {
      return calls.size();
    }

    @Override
    public Optional<ActionCall> call(String actionId) {
      reads++;
      return calls.call(actionId);
    }

    @Override
    public Optional<ActionCall> latest(String actionId) {
      reads++;
      return calls.latest(actionId);
    }

    @Override
    public List<ActionCall> pending() {
      List<ActionCall> found = calls.pending();
      reads += 1 + found.size();
      return found;
    }
  }

  /** Does something with a run's state. */
  @FunctionalInterface
  private interface Deed {
    void on(ActionPolicyExecutionState state) throws Exception;
  }

  private final TestAgent agent = TestAgent.named("tested");
  private final CapabilityDispatcher dispatcher =
      new CapabilityDispatcher(
          agent, new ActionThreads(DispatchSettings.fromConfig(ConfigFactory.load())));

  private static Counted history(int steps) {
    Stream<ActionCall> done =
        IntStream.range(0, steps)
            .mapToObj(i ->
                new ActionCall(
                    Action.of("a" + i, "notes.write", JsonNodeFactory.instance.objectNode()),
                    ActionResult.succeeded("a" + i, IntNode.valueOf(i))));
    ActionCall asks =
        new ActionCall(
            Action.of("pay", "purse.pay", null),
            ActionResult.blocked("pay", "asks", new Approved("pay-1")));
    return new Counted(SharedActionHistory.of(Stream.concat(Stream.of(asks), done).toList()));
  }

  private ActionPolicyExecutionState state(ActionHistory history, Approval... answers) {
    return new ActionPolicyExecutionState(
        new ActionPolicyExecutionState.Given(
            new RunRequest(
                agent.context(),
                "test",
                JsonNodeFactory.instance.objectNode(),
                "test",
                Instant.EPOCH),
            history.size(),
            RunStats.NONE,
            history,
            JsonNodeFactory.instance.objectNode(),
            List.of(),
            Optional.empty(),
            DurableMemory.EMPTY,
            Stream.of(answers).collect(Collectors.toMap(Approval::request, a -> a))));
  }

  private int reads(int steps, Deed deed, Approval... answers) throws Exception {
    Counted history = history(steps);
    ActionPolicyExecutionState state = state(history, answers);
    history.reads = 0;
    dispatcher.enter(state, new NoJournal());
    deed.on(state);
    return history.reads;
  }

  private void readsTheSame(Deed deed, Approval... answers) throws Exception {
    assertThat(reads(LONG, deed, answers))
        .as("reads of %,d actions", LONG)
        .isEqualTo(reads(SHORT, deed, answers));
  }

  private ActionResult dispatch(ActionPolicyExecutionState state, String id) {
    CurrentStep step =
        new CurrentStep(
            state.request(),
            "s",
            state,
            null,
            CancellationToken.NONE,
            null,
            false,
            false,
            256,
            Optional.empty());
    return new Activation.Dispatcher(dispatcher, () -> step, Activation.ActionWatch.NONE)
        .dispatch(Action.of(id, "absent.action", null));
  }

  @Test
  void anActionIsKnownToBeNewWithoutASearch() throws Exception {
    readsTheSame(state -> assertThat(dispatch(state, "fresh").error()).contains("has no action"));
    readsTheSame(state -> assertThat(dispatch(state, "a7").error()).contains("before"));
  }

  @Test
  void aScriptFindsAFreshIdWithoutASearch() throws Exception {
    ScriptedActionPolicy policy =
        new ScriptedActionPolicy(
            new PolicyContext(agent, dispatcher, List.of()),
            ScriptedActionPolicy.Script.of(ScriptedRule.otherwise().act("absent.action")));
    readsTheSame(state -> assertThat(policy.executeIteration(state).call()).isPresent());
  }

  @Test
  void anAnsweredActionIsFoundWithoutASearch() throws Exception {
    ScriptedActionPolicy policy =
        new ScriptedActionPolicy(
            new PolicyContext(agent, dispatcher, List.of()),
            ScriptedActionPolicy.Script.of(ScriptedRule.otherwise().idle()));
    readsTheSame(
        state ->
            assertThat(policy.executeIteration(state).call().orElseThrow().action().actionId())
                .isEqualTo("pay~2"),
        new Approval("pay-1", true, "lead", "", Instant.EPOCH));
    readsTheSame(state ->
        assertThat(policy.executeIteration(state).until()).contains(new Approved("pay-1")));
  }

  @Test
  void aReferenceToAnEarlierResultIsResolvedWithoutASearch() throws Exception {
    readsTheSame(state ->
        assertThat(dispatcher.resolve(TextNode.valueOf("$results.a7")))
            .isEqualTo(IntNode.valueOf(7)));
  }

  @Test
  void aPromptReadsNoMoreOfTheHistoryThanFits() throws Exception {
    PlanningFormat format =
        PlanningFormat.of(PromptLayers.STOCK, PolicySettings.DEFAULTS, AgentTypes.installed());
    int fits = 1_000;
    Deed decides =
        state ->
            assertThat(
                    format
                        .format(PlanningContext.of(next -> next.history = state.history()))
                        .text())
                .contains("earlier ones do not fit");
    assertThat(reads(fits, decides)).isLessThan(fits);
    assertThat(reads(LONG, decides)).isLessThanOrEqualTo(reads(fits, decides));
  }
}
