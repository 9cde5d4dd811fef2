package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.JsonValues;
import dev.colony.core.lifecycle.SharedActionHistory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Calls of a cell that is executed again. */
class JournaledCallsTest {

  /** What is executed, which succeeds. */
  private final List<Action> performed = new ArrayList<>();

  private JournaledCalls calls(ActionCall... before) {
    ActionPolicyExecutionState state =
        new ActionPolicyExecutionState(
            new ActionPolicyExecutionState.Given(
                new RunRequest(
                    ExecutionContext.of(new AgentId("acme", "lab", "ann"), new RunId("r1")),
                    "test",
                    JsonNodeFactory.instance.nullNode(),
                    "test",
                    Instant.EPOCH),
                1,
                RunStats.NONE,
                SharedActionHistory.of(List.of(before)),
                JsonNodeFactory.instance.objectNode(),
                List.of(),
                Optional.empty(),
                DurableMemory.EMPTY,
                Map.of()));
    ActionDispatcher dispatcher =
        new ActionDispatcher() {
          @Override
          public ActionResult dispatch(Action action) {
            throw new AssertionError("a cell performs: " + action);
          }

          @Override
          public ActionResult perform(Action action) {
            performed.add(action);
            return ActionResult.succeeded(action.actionId(), TextNode.valueOf("new"));
          }

          @Override
          public List<ActionGroup> groups() {
            return List.of();
          }
        };
    return new JournaledCalls(null, dispatcher, state, 2);
  }

  private static ActionCall call(String id, String params, ActionResult result) throws Exception {
    return new ActionCall(Action.of(id, "notes.add", JsonValues.parse(params)), result);
  }

  private static ActionResult old(String id) {
    return ActionResult.succeeded(id, TextNode.valueOf("old"));
  }

  private static JsonNode params(String json) throws Exception {
    return JsonValues.parse(json);
  }

  @Test
  void whatHadEndedGivesWhatItGave() throws Exception {
    JournaledCalls calls = calls(call("c2.1", "{\"n\":1.50}", old("c2.1")));
    assertThat(calls.call(1, "notes.add", params("{\"n\":1.5}")))
        .isEqualTo(new Cell.Reply.Value(TextNode.valueOf("old")));
    assertThat(performed).isEmpty();
    assertThat(calls.call(2, "notes.add", params("{\"n\":\"$x\"}")))
        .isEqualTo(new Cell.Reply.Value(TextNode.valueOf("new")));
    assertThat(performed)
        .containsExactly(Action.of("c2.2", "notes.add", params("{\"n\":\"$$x\"}")));
  }

  @Test
  void aCallThatDiffersEndsTheCell() throws Exception {
    JournaledCalls other = calls(call("c2.1", "{\"n\":1}", old("c2.1")));
    assertThat(other.call(1, "notes.add", params("{\"n\":2}"))).isEqualTo(new Cell.Reply.Stop());
    assertThat(other.differing())
        .contains(
            "call 1 is notes.add {\"n\":2}, but was notes.add {\"n\":1} when the cell was executed"
                + " before");
    JournaledCalls another = calls(call("c2.1", "{\"n\":1}", old("c2.1")));
    assertThat(another.call(1, "notes.pay", params("{\"n\":1}"))).isEqualTo(new Cell.Reply.Stop());
    assertThat(performed).isEmpty();
  }

  @Test
  void whatWaitedIsTriedAgainUnderItsNextId() throws Exception {
    ResumptionCondition go = new ResumptionCondition.Custom("go");
    JournaledCalls calls =
        calls(call("c2.1", "{}", ActionResult.blocked("c2.1", "waits for it", go)));
    assertThat(calls.call(1, "notes.add", params("{}"))).isInstanceOf(Cell.Reply.Value.class);
    assertThat(performed).extracting(Action::actionId).containsExactly("c2.1~2");
  }

  @Test
  void whatAPersonHasStillToAnswerIsNotTriedAgain() throws Exception {
    ResumptionCondition approved = new ResumptionCondition.Approved("add");
    JournaledCalls calls =
        calls(call("c2.1", "{}", ActionResult.blocked("c2.1", "asks", approved)));
    assertThat(calls.call(1, "notes.add", params("{}"))).isEqualTo(new Cell.Reply.Stop());
    assertThat(calls.blocked().orElseThrow().until()).contains(approved);
    assertThat(performed).isEmpty();
  }
}
