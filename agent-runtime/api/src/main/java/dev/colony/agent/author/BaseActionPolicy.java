package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition.Approved;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyInput;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import java.util.List;
import java.util.Optional;

/**
 * A policy that decides one step at a time: subclasses say what is next in {@link #planStep}, this
 * class does it. It holds the run's input against {@link #io} before the first step, and what the
 * run gives before it ends.
 *
 * <p>A policy holds no other policy: neither as an argument of its blueprint, which is refused, nor
 * as a step, which {@link Decision} cannot express. What is a task of its own is a child agent with
 * a policy of its own, see {@link Agent#children}: it has its own budget, its own journal and its
 * own place in the cluster.
 */
public abstract class BaseActionPolicy implements ActionPolicy {

  private final PolicyContext context;

  /**
   * A subclass that brings actions of its own, or takes some away, tells the {@link #dispatcher} in
   * its constructor: {@link ActionDispatcher#offer} and {@link ActionDispatcher#limitTo}.
   */
  protected BaseActionPolicy(PolicyContext context) {
    this.context = context;
  }

  /** Says what is next. May ask the model through {@link Agent#inference}, and may block. */
  protected abstract Decision planStep(ActionPolicyExecutionState state) throws Exception;

  /**
   * The actions that may be chosen in this iteration. By default all that are meant for planners,
   * of the capabilities and providers that are active; a subclass that narrows them, for example by
   * the last completed action, makes a workflow.
   */
  protected List<ActionGroup> plannedActions(ActionPolicyExecutionState state) {
    return dispatcher().groups().stream()
        .filter(group -> !state.disabled().contains(group.name()))
        .map(group ->
            new ActionGroup(
                group.name(),
                group.summary(),
                group.actions().stream().filter(ActionDescription::planned).toList()))
        .filter(group -> !group.actions().isEmpty())
        .toList();
  }

  /**
   * A subclass that has more to do around a step overrides this and calls it. An action that waited
   * for a person is dispatched again, without {@link #planStep}, when the answer is there: it is
   * executed then, or refused with what the person said.
   */
  @Override
  public ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state)
      throws Exception {
    Optional<String> wrongInput = state.iterationNum() == 0 ? wrongInput(state) : Optional.empty();
    if (wrongInput.isPresent()) {
      return ActionPolicyIterationResult.failed(ErrorContext.of("input", wrongInput.get()));
    }
    Optional<Action> answered = Repeat.answered(state);
    if (answered.isPresent()) {
      return dispatched(answered.get());
    }
    Decision decision = planStep(state);
    if (decision == null) {
      throw new IllegalStateException(getClass().getSimpleName() + " decided nothing in " + state);
    }
    return switch (decision) {
      case Decision.Act act -> dispatched(act.action());
      case Decision.Complete complete -> completed(complete.output(), state);
      case Decision.Idle idle -> idle(state);
      case Decision.Skip skip -> ActionPolicyIterationResult.skipped();
      case Decision.Blocked blocked ->
          ActionPolicyIterationResult.blocked(
              blocked.reason(), blocked.blockingAgentIds(), blocked.until());
      case Decision.Fail fail -> ActionPolicyIterationResult.failed(fail.error());
      case Decision.Terminate end -> ActionPolicyIterationResult.terminated(end.error());
    };
  }

  /**
   * Whether an iteration only dispatches an action again, for which a person has answered, and does
   * not reach {@link #planStep}.
   */
  protected static boolean repeats(ActionPolicyExecutionState state) {
    return Repeat.answered(state).isPresent();
  }

  private ActionPolicyIterationResult dispatched(Action action) {
    return ActionPolicyIterationResult.acted(action, dispatcher().dispatch(action));
  }

  /**
   * Nothing to do but for what a person has still to answer, which the run does not end without.
   */
  private static ActionPolicyIterationResult idle(ActionPolicyExecutionState state) {
    return Repeat.unanswered(state)
        .map(asked ->
            ActionPolicyIterationResult.blocked(
                "a person has to approve " + asked.request(), asked))
        .orElseGet(ActionPolicyIterationResult::awaitingEvents);
  }

  protected final Agent agent() {
    return context.agent();
  }

  protected final ActionDispatcher dispatcher() {
    return context.dispatcher();
  }

  protected final PolicyContext context() {
    return context;
  }

  private Optional<String> wrongInput(ActionPolicyExecutionState state) {
    if (state.request().namespace().equals(EventBatch.NAMESPACE)) {
      return Optional.empty();
    }
    try {
      ActionPolicyInput.of(state.request());
    } catch (IllegalArgumentException wrong) {
      return Optional.of("input " + wrong.getMessage());
    }
    return io().wrongInput(state.request().input());
  }

  private Optional<String> wrongOutput(JsonNode result, ActionPolicyExecutionState state) {
    ActionPolicyInput input = ActionPolicyInput.of(state.request());
    return input.resultSchema().isPresent() ? input.wrongOutput(result) : io().wrongOutput(result);
  }

  private ActionPolicyIterationResult completed(
      ActionPolicyOutput output, ActionPolicyExecutionState state) {
    Optional<String> wrong =
        output.success() ? wrongOutput(output.finalResult(), state) : Optional.empty();
    return wrong
        .map(error -> ActionPolicyIterationResult.failed(ErrorContext.of("output", error)))
        .orElseGet(() -> ActionPolicyIterationResult.completed(output));
  }

  /**
   * An action that waited for a person's word and is dispatched again when it is there, under an id
   * that is made of the first one: {@code pay}, {@code pay~2}.
   */
  static final class Repeat {

    private Repeat() {}

    /** The first of the run's actions that has got an answer and was not dispatched since. */
    static Optional<Action> answered(ActionPolicyExecutionState state) {
      return state.approvals().isEmpty()
          ? Optional.empty()
          : state.history().pending().stream()
              .filter(one -> one.asked().flatMap(it -> state.approval(it.request())).isPresent())
              .findFirst()
              .map(one -> one.action().next());
    }

    /** What the first of the run's actions waits for that has got no answer yet. */
    static Optional<Approved> unanswered(ActionPolicyExecutionState state) {
      return state.history().pending().stream()
          .flatMap(one -> one.asked().stream())
          .filter(asked -> state.approval(asked.request()).isEmpty())
          .findFirst();
    }
  }
}
