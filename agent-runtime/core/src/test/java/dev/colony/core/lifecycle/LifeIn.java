package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentSnapshot.Phase;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.vcm.PageGroupId;
import java.util.List;
import java.util.Optional;

/** Lives that have come to a phase or a state, and one command of each kind. */
final class LifeIn {

  static final RunId RUN = new RunId("r1");
  static final Action ACTION = Action.of("a0", "echo", JsonNodeFactory.instance.objectNode());

  static final Intent.Revise REVISE =
      new Intent.Revise(
          BlueprintChange.adding(CapabilityBlueprint.of(Blueprint.of("more"))), "because");

  private LifeIn() {}

  /** The first run of an agent that is woken by {@link Life#GLOBS} has come to a phase. */
  static Life phase(Phase phase) {
    Life life = unborn(Life.BLUEPRINT);
    if (phase != Phase.UNBORN) {
      begin(life);
    }
    path(phase).forEach(life::tell);
    assertThat(life.state.phase()).isEqualTo(phase);
    return life;
  }

  /**
   * An agent of a kind has come to a state; where both can be, without work.
   *
   * @return empty if such an agent is never there
   */
  static Optional<Life> state(AgentState state, AgentKind kind) {
    Life life = unborn(Life.BLUEPRINT.pages(new PageGroupId("a".repeat(26))).kind(kind));
    begin(life);
    path(state).forEach(life::tell);
    return life.state.state() == state ? Optional.of(life) : Optional.empty();
  }

  private static Life unborn(AgentBlueprint blueprint) {
    Life.Nature nature = Life.Nature.of(Script.of()).woken(false);
    return new Life(
        new Life.Nature(blueprint, nature.script(), nature.patterns(), nature.takesEvents()),
        new LifeBoard());
  }

  private static void begin(Life life) {
    life.recover();
    life.live();
  }

  private static List<AgentCommand> path(Phase phase) {
    AgentCommand accept = accept("r1");
    return switch (phase) {
      case UNBORN, RESTING -> List.of();
      case ITERATING -> List.of(accept);
      case INTENDED -> List.of(accept, answer("c"), intend());
      case BLOCKED -> List.of(accept, block());
      case ENDED -> List.of(accept, complete());
    };
  }

  private static List<AgentCommand> path(AgentState state) {
    return switch (state) {
      case INITIALIZED, IDLE, LOADED -> List.of();
      case RUNNING -> List.of(accept("r1"));
      case WAITING -> List.of(accept("r1"), block());
      case UNLOADED -> List.of(move(LifecycleCommand.PAGES_EVICTED));
      case SUSPENDED -> List.of(move(LifecycleCommand.SUSPEND));
      case STOPPED -> List.of(move(LifecycleCommand.STOP));
      case FAILED -> List.of(move(LifecycleCommand.FAIL));
    };
  }

  static AgentCommand claim() {
    return new AgentCommand.Claim(Optional.of(Life.BLUEPRINT), Optional.empty(), "node", Life.AT);
  }

  static AgentCommand accept(String run) {
    return new AgentCommand.AcceptRun(Life.request(run), Life.AT);
  }

  static AgentCommand answer(String call) {
    return new AgentCommand.RecordReply(call, ScriptedIteration.reply("text"), true, Life.AT);
  }

  static AgentCommand intend() {
    return new AgentCommand.IntendAction(ACTION, false, StepDelta.NONE, Life.AT);
  }

  /** An external action of several. */
  static AgentCommand begin(String actionId, boolean retryable) {
    return new AgentCommand.BeginAction(action(actionId), retryable, Optional.empty(), Life.AT);
  }

  /** The success of one of several actions. */
  static AgentCommand end(String actionId) {
    Action action = action(actionId);
    return new AgentCommand.EndAction(
        new ActionCall(action, ScriptedIteration.succeeded(action)), Optional.empty(), Life.AT);
  }

  private static Action action(String actionId) {
    return Action.of(actionId, "echo", JsonNodeFactory.instance.objectNode());
  }

  static AgentCommand act(String actionId) {
    Action action = action(actionId);
    return step(
        ActionPolicyIterationResult.acted(
            action, ActionResult.succeeded(actionId, JsonNodeFactory.instance.nullNode())));
  }

  static AgentCommand block() {
    return step(ActionPolicyIterationResult.awaitingEvents());
  }

  static AgentCommand step(ActionPolicyIterationResult result) {
    return new AgentCommand.CompleteStep(result, StepDelta.NONE, Life.AT);
  }

  static AgentCommand complete() {
    return new AgentCommand.CompleteRun(
        AgentRun.completed(RUN, JsonNodeFactory.instance.nullNode(), RunStats.NONE), Life.AT);
  }

  static AgentCommand publish() {
    return new AgentCommand.ConfirmPublished(RUN, Life.AT);
  }

  static AgentCommand watch() {
    return new AgentCommand.WatchScopes(
        List.of(Watch.begun(Life.SCOPE, Life.GLOBS, Position.BEGINNING, Optional.empty())),
        Life.AT);
  }

  static AgentCommand notice(long ordinal) {
    return new AgentCommand.NoticeEvents(Life.SCOPE, new Position(5, ordinal), Life.AT);
  }

  static AgentCommand take(Optional<RunRequest> run) {
    return new AgentCommand.TakeEvents(
        Life.SCOPE, run, Optional.empty(), new Position(5, 5), Optional.empty(), Life.AT);
  }

  /** Events for the run that is open. */
  static AgentCommand deliver() {
    return new AgentCommand.TakeEvents(
        Life.SCOPE,
        Optional.empty(),
        Optional.of(new EventBatch(Life.SCOPE, List.of(), true)),
        new Position(5, 5),
        Optional.empty(),
        Life.AT);
  }

  static AgentCommand move(LifecycleCommand command) {
    return new AgentCommand.Apply(new Intent.ChangeState(command, "because"), Life.AT);
  }
}
