package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.action.Effect;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JoinPoints;
import dev.colony.agent.step.StepJournal;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.lifecycle.JsonSize;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;

/**
 * Executes the actions of one agent's capabilities. Made together with them, and thrown away with
 * them; within an iteration it is used by the policy's thread.
 */
public final class CapabilityDispatcher implements ActionDispatcher {

  /** Action ids stand in keys. */
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  /** What one iteration brings along. */
  private record Iteration(ActionPolicyExecutionState state, StepJournal journal) {}

  private final Agent agent;
  private final DispatchSettings settings;
  private final Attempts attempts;
  private final ActionTable table = new ActionTable();
  private final Outputs outputs;
  private volatile Optional<Iteration> current = Optional.empty();

  /**
   * A dispatcher of all capabilities that the agent has.
   *
   * @throws dev.colony.agent.AgentException if two of them offer an action of the same key
   */
  public CapabilityDispatcher(Agent agent, ActionThreads threads) {
    this.agent = agent;
    this.settings = threads.settings();
    this.attempts = new Attempts(threads);
    this.outputs = new Outputs(agent, settings);
    agent
        .capabilities()
        .forEach(capability ->
            table.add(
                CapabilityType.provider(capability, settings.timeout()),
                blueprint(capability.capabilityKey())));
  }

  private Optional<CapabilityBlueprint> blueprint(String key) {
    return agent.blueprint().capabilities().stream()
        .filter(one -> one.capabilityKey().equals(key))
        .findFirst();
  }

  /**
   * An iteration begins: until {@link #leave}, actions are dispatched on its behalf. May block
   * where providers have to find out which actions they have.
   */
  public void enter(ActionPolicyExecutionState state, StepJournal journal) {
    table.refresh();
    current = Optional.of(new Iteration(state, journal));
  }

  /** The iteration is over; nothing is dispatched until the next one. */
  public void leave() {
    current = Optional.empty();
  }

  @Override
  public void offer(ActionProvider provider) {
    table.add(provider, Optional.empty());
  }

  @Override
  public void limitTo(Set<String> keys) {
    table.limitTo(keys);
  }

  @Override
  public List<ActionGroup> groups() {
    return table.groups(current.map(at -> at.state().disabled()).orElse(Set.of()));
  }

  /**
   * {@inheritDoc}
   *
   * @throws CancellationException if the agent has left this node or the run was cancelled; what an
   *     external action has done by then is found out after the next recovery
   * @throws IllegalStateException outside an iteration
   */
  @Override
  public ActionResult dispatch(Action action) {
    Iteration at = iteration();
    return hooked(at, action, () -> begin(at, action));
  }

  @Override
  public JsonNode resolve(JsonNode value) {
    try {
      return new RefResolver(agent, iteration().state(), outputs).resolve(value);
    } catch (Unresolvable missing) {
      throw AgentException.refused(missing.getMessage());
    } catch (InterruptedException interrupted) {
      throw cancelled(interrupted);
    } catch (Exception failure) {
      throw new AgentException(Failure.line(failure), failure, true);
    }
  }

  /**
   * Finishes an action whose intent was journaled before a crash, under the same idempotency key
   * and without journaling the intent again.
   *
   * @param action as it was journaled, its references resolved
   * @param retryable as it was journaled; an action that must not be repeated is not executed, and
   *     the result is {@link Status#INTERRUPTED}
   * @throws CancellationException as {@link #dispatch}
   */
  public ActionResult finish(Action action, boolean retryable) {
    Iteration at = iteration();
    return hooked(
        at,
        action,
        () -> retryable ? again(at, action) : ActionResult.interrupted(action.actionId()));
  }

  private Iteration iteration() {
    return current.orElseThrow(
        () -> new IllegalStateException("no iteration is under way: nothing is dispatched"));
  }

  private ActionResult hooked(Iteration at, Action action, Callable<ActionResult> method) {
    try {
      return agent.hooks().call(JoinPoints.DISPATCH, agent, this, method, action);
    } catch (Exception | StackOverflowError | LinkageError | AssertionError failure) {
      boolean stopped =
          failure instanceof InterruptedException || Thread.currentThread().isInterrupted();
      if (stopped || at.journal().cancelled()) {
        throw cancelled(failure);
      }
      return ActionResult.failed(action.actionId(), Failure.line(failure));
    }
  }

  private static CancellationException cancelled(Throwable cause) {
    if (cause instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    CancellationException cancelled = new CancellationException("the iteration has been cancelled");
    cancelled.initCause(cause);
    return cancelled;
  }

  private ActionResult begin(Iteration at, Action action) throws Exception {
    if (!ID.matcher(action.actionId()).matches()) {
      return refused(action, "an action's id is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -");
    }
    Optional<ActionTable.Offer> found = table.find(action.key());
    if (found.isEmpty()) {
      return refused(action, "the agent has no action " + action.key());
    }
    ActionTable.Offer offer = found.get();
    if (!table.active(offer, at.state().disabled())) {
      return refused(action, "the action " + action.key() + " is not available at the moment");
    }
    JsonNode params;
    try {
      params = new RefResolver(agent, at.state(), outputs).resolve(action.params());
    } catch (Unresolvable missing) {
      return refused(action, missing.getMessage());
    }
    if (JsonSize.exceeds(params, settings.maxParameterBytes())) {
      return refused(
          action, "the parameters are larger than " + settings.maxParameterBytes() + " bytes");
    }
    Optional<String> fault = ValueRules.fault("a parameter", params);
    if (fault.isPresent()) {
      return refused(action, fault.get());
    }
    if (!params.isObject()) {
      return refused(action, "the parameters are no JSON object");
    }
    List<String> wrong = offer.provider().violations(action.key(), params);
    if (!wrong.isEmpty()) {
      return refused(
          action, "the parameters do not fit: " + Failure.line(String.join("; ", wrong)));
    }
    Action resolved = Action.of(action.actionId(), action.key(), params);
    ActionDescription described = offer.action();
    Optional<ActionResult> barred =
        described.approval() ? ApprovalGate.bars(at.state(), resolved) : Optional.empty();
    if (barred.isPresent()) {
      return barred.get();
    }
    if (described.effect() == Effect.EXTERNAL) {
      at.journal().intend(resolved, described.retryable());
    }
    return execute(at, offer, resolved);
  }

  private ActionResult again(Iteration at, Action action) throws Exception {
    Optional<ActionTable.Offer> offer = table.find(action.key());
    return offer.isPresent()
        ? execute(at, offer.get(), action)
        : refused(action, "the agent has no action " + action.key() + " any more");
  }

  private ActionResult execute(Iteration at, ActionTable.Offer offer, Action action)
      throws Exception {
    RunningAction running =
        new RunningAction(
            agent,
            at.state().request(),
            action.actionId(),
            at.journal(),
            settings,
            offer.action().timeout());
    ActionResult result;
    try {
      ObjectNode params = (ObjectNode) action.params();
      Ending ending =
          attempts.run(
              offer,
              running,
              () ->
                  outputs.measured(
                      action.actionId(), offer.provider().execute(action.key(), params, running)));
      result = result(at, offer, running, ending);
    } finally {
      running.end();
    }
    running.forgetCheckpoint();
    Variables.write(at.state().custom(), offer.action(), result);
    return result;
  }

  private ActionResult result(
      Iteration at, ActionTable.Offer offer, RunningAction running, Ending ending)
      throws Exception {
    String id = running.actionId();
    return switch (ending) {
      case Ending.Returned returned -> kept(at, running, returned);
      case Ending.Threw threw -> ActionResult.failed(id, Failure.line(threw.failure()));
      case Ending.Refused refused ->
          ActionResult.unsuccessful(id, Status.REFUSED, refused.reason());
      case Ending.Stopped stopped ->
          switch (stopped.why()) {
            case TIMED_OUT ->
                ActionResult.unsuccessful(
                    id, Status.TIMED_OUT, "it took longer than " + offer.action().timeout());
            case CANCELLED ->
                ActionResult.unsuccessful(id, Status.CANCELLED, "it was cancelled from outside");
            case LEFT -> throw new CancellationException("the agent has left, or its run is over");
          };
    };
  }

  private ActionResult kept(Iteration at, RunningAction running, Ending.Returned returned)
      throws Exception {
    try {
      return attempts.whileOut(running, () -> outputs.kept(at.state().request().runId(), returned));
    } catch (BlackboardException lost) {
      return ActionResult.failed(
          running.actionId(),
          "it was done, but its output of "
              + returned.bytes()
              + " bytes could not be kept: "
              + Failure.line(lost));
    }
  }

  private static ActionResult refused(Action action, String why) {
    return ActionResult.unsuccessful(action.actionId(), Status.REFUSED, why);
  }
}
