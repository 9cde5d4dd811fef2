package dev.colony.core.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.author.StepJournal;
import dev.colony.agent.fixture.TestAgent;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several actions in one iteration: each with its own records, none executed a second time. */
class PerformTest {

  private static final String CHAIR = "{'what':'chair','price':3}";

  private final TestAgent agent = TestAgent.named("a1");
  private final Workshop workshop = new Workshop(agent.capabilityContext("shop"));
  private final Dispatching run = Dispatching.of(agent.with(workshop));

  private ActionResult perform(String id, String key, String params) {
    return run.dispatcher.perform(action(id, key, params));
  }

  private static Action action(String id, String key, String params) {
    return Action.of(id, key, Dispatching.json(params));
  }

  private List<String> ended() {
    return run.journal.ended.stream()
        .map(call -> call.action().actionId() + " " + call.result().status())
        .toList();
  }

  @Test
  void eachEndIsJournaledAndTheBeginningOfExternalOnes() {
    perform("a", "shop.join", "{'left':'x'}");
    perform("b", "tool_use", "{'what':'oak'}");
    perform("c", "shop.nothing", "{}");
    perform("d", "shop.join", "{'left':1}");
    assertThat(run.journal.intents)
        .extracting(intent -> intent.action().actionId())
        .containsExactly("b");
    assertThat(ended()).containsExactly("a SUCCEEDED", "b SUCCEEDED", "c REFUSED", "d REFUSED");
  }

  @Test
  void manyAreExecutedAtOnceAndKeepTheirVariables() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<ActionResult>> all =
          IntStream.range(0, 50)
              .mapToObj(i ->
                  threads.submit(
                      () -> perform("p" + i, "shop.make_part", "{'name':'n','weight':1}")))
              .toList();
      for (Future<ActionResult> one : all) {
        assertThat(one.get().success()).isTrue();
      }
    }
    assertThat(run.journal.ended).hasSize(50);
    assertThat(perform("w", "shop.weigh", "{'part':'$part'}").output().path("weight").asInt())
        .isEqualTo(2);
  }

  @Test
  void oneMayReferToTheResultOfAnotherOfTheSameStep() {
    perform("a", "shop.join", "{'left':'x','right':'y'}");
    assertThat(perform("b", "shop.echo", "{'value':'$results.a'}").output().asText())
        .isEqualTo("xy");
  }

  @Test
  void whatHasEndedBeforeACrashIsAnsweredAndNotExecuted() {
    Action before = action("a", "shop.make_part", "{'name':'n','weight':4}");
    ActionResult known = ActionResult.succeeded("a", Dispatching.json("{'name':'n','weight':4}"));
    run.journal.endedBefore.put("a", new ActionCall(before, known));
    assertThat(perform("a", "shop.make_part", "{'name':'n','weight':4}")).isEqualTo(known);
    assertThat(run.journal.ended).isEmpty();
    assertThat(perform("b", "shop.weigh", "{'part':'$part'}").output().path("weight").asInt())
        .isEqualTo(5);
    ActionResult other = perform("a", "shop.join", "{'left':'x'}");
    assertThat(other.status()).isEqualTo(Status.REFUSED);
    assertThat(other.error())
        .isEqualTo(
            "under this id the step executed shop.make_part before a crash, and not shop.join");
  }

  @Test
  void whatHadBegunBeforeACrashIsFinishedUnderTheSameKey() {
    Action begun = action("a", "tool_use", "{'what':'oak'}");
    run.journal.begunBefore.put("a", new StepJournal.Begun(begun, true));
    assertThat(perform("a", "tool_use", "{'what':'oak'}").output().asText())
        .isEqualTo("ordered oak");
    assertThat(workshop.calls).containsExactly("order oak acme/lab/a1/r1/0/a");
    assertThat(run.journal.intents).hasSize(1);
    assertThat(ended()).containsExactly("a SUCCEEDED");
  }

  @Test
  void whatHadEndedWithOtherParametersIsRefusedByName() {
    Action before = action("a", "shop.make_part", "{'name':'n','weight':4.0}");
    ActionResult known = ActionResult.succeeded("a", Dispatching.json("{'name':'n','weight':4}"));
    run.journal.endedBefore.put("a", new ActionCall(before, known));
    ActionResult other = perform("a", "shop.make_part", "{'name':'n','weight':5}");
    assertThat(other.status()).isEqualTo(Status.REFUSED);
    assertThat(other.error())
        .isEqualTo(
            "under this id the step executed shop.make_part {\"name\":\"n\",\"weight\":4.0} before"
                + " a crash, and not shop.make_part {\"name\":\"n\",\"weight\":5}");
    assertThat(run.journal.ended).isEmpty();
    assertThat(perform("a", "shop.make_part", "{'name':'n','weight':4}"))
        .as("a number is what it is worth")
        .isEqualTo(known);
  }

  @Test
  void whatTheJournalKeepsWithoutItsParametersIsAnswered() {
    ActionResult known = ActionResult.failed("a", "it ended as SUCCEEDED, but it is too large");
    run.journal.endedBefore.put("a", new ActionCall(action("a", "shop.join", "{}"), known));
    assertThat(perform("a", "shop.join", "{'left':'x'}")).isEqualTo(known);
  }

  @Test
  void whatHadBegunWithOtherParametersIsRefusedAndNotExecuted() {
    run.journal.begunBefore.put(
        "a", new StepJournal.Begun(action("a", "tool_use", "{'what':'oak'}"), true));
    ActionResult other = perform("a", "tool_use", "{'what':'elm'}");
    assertThat(other.status()).isEqualTo(Status.REFUSED);
    assertThat(other.error())
        .isEqualTo(
            "under this id the step began tool_use {\"what\":\"oak\"} before a crash, and not"
                + " tool_use {\"what\":\"elm\"}");
    assertThat(workshop.calls).isEmpty();
    assertThat(ended()).containsExactly("a INTERRUPTED");
    assertThat(run.journal.ended.getFirst().action().params().path("what").asText())
        .as("what may have taken effect")
        .isEqualTo("oak");
  }

  @Test
  void whatHadBegunWithAReferenceGoesOnWithWhatThatGave() {
    perform("b", "shop.join", "{'left':'el','right':'m'}");
    run.journal.begunBefore.put(
        "a", new StepJournal.Begun(action("a", "tool_use", "{'what':'oak'}"), true));
    assertThat(perform("a", "tool_use", "{'what':'$results.b'}").output().asText())
        .isEqualTo("ordered oak");
  }

  @Test
  void whatMustNotBeRepeatedIsInterruptedAfterACrash() {
    Action begun = action("a", "shop.pay", "{'what':'oak'}");
    run.journal.begunBefore.put("a", new StepJournal.Begun(begun, false));
    assertThat(perform("a", "shop.pay", "{'what':'oak'}").status()).isEqualTo(Status.INTERRUPTED);
    assertThat(workshop.calls).isEmpty();
    assertThat(ended()).containsExactly("a INTERRUPTED");
  }

  @Test
  void anApprovalIsForOneOfThemWhateverCrashes() throws ExecutionException, InterruptedException {
    ActionResult asks = perform("a", "shop.sell", CHAIR);
    String request = ((ResumptionCondition.Approved) asks.until().orElseThrow()).request();
    run.approvals.put(request, new Approval(request, true, "lead", "", Instant.EPOCH));
    run.nextIteration();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<ActionResult> one = threads.submit(() -> perform("b", "shop.sell", CHAIR));
      Future<ActionResult> other = threads.submit(() -> perform("c", "shop.sell", CHAIR));
      assertThat(List.of(one.get().status(), other.get().status()))
          .containsExactlyInAnyOrder(Status.SUCCEEDED, Status.BLOCKED);
    }
    assertThat(run.journal.used).hasSize(1);
    // The step is executed again: what the first execution has used up stays used up.
    Dispatching again = Dispatching.of(agent);
    again.approvals.putAll(run.approvals);
    again.journal.usedBefore.addAll(run.journal.used);
    again.nextIteration();
    assertThat(again.dispatcher.perform(action("d", "shop.sell", CHAIR)).status())
        .isEqualTo(Status.BLOCKED);
    assertThat(workshop.calls).containsExactly("sell chair");
  }
}
