package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.JoinPoint.JoinPoints;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.core.dispatch.CapabilityDispatcher;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What an agent works with while it is in memory with something to do.
 *
 * @param policy decides
 * @param actions execute what it decides
 */
record Activation(ActiveAgent agent, ActionPolicy policy, Dispatcher actions) {

  @FunctionalInterface
  private interface Part<T> {
    T run() throws Exception;
  }

  ActionPolicyIterationResult iterate(CurrentStep step) throws Exception {
    return within(
        step, () -> agent.hooks().call(JoinPoints.STEP, agent, agent, () -> iteration(step)));
  }

  private ActionPolicyIterationResult iteration(CurrentStep step) throws Exception {
    return agent
        .hooks()
        .call(
            JoinPoints.ITERATION,
            agent,
            policy,
            () -> policy.executeIteration(step.state()),
            step.state());
  }

  /** Ends the external action of a step that a crash has cut off. */
  ActionResult finish(CurrentStep step, Action action, boolean retryable) throws Exception {
    return within(
        step,
        () -> {
          ActionResult result = actions.finish(action, retryable);
          policy.observe(step.state(), new ActionCall(action, result));
          return result;
        });
  }

  private <T> T within(CurrentStep step, Part<T> part) throws Exception {
    agent.enter(step);
    try {
      actions.enter(step);
      try {
        return part.run();
      } finally {
        step.close();
      }
    } finally {
      actions.leave();
      agent.leave();
    }
  }

  /**
   * Holds an agent's activation from when it has something to do until it has not. Thread-safe;
   * user code that is slow to be made holds up the work that needs it, and no other.
   */
  static final class Holder {

    private final Function<DurableMemory, Activation> builder;
    private Optional<Activation> current = Optional.empty();

    /**
     * @param builder makes the activation, restored from what the agent has kept; throws what it
     *     throw
     */
    Holder(Function<DurableMemory, Activation> builder) {
      this.builder = builder;
    }

    /**
     * The activation, made if need be, on the caller's thread.
     *
     * @param asked whose work they are for; one piece of work at a time
     * @throws CancellationException if that is cancelled
     */
    Activation enter(DurableMemory memory, CancellationToken asked) {
      asked.check();
      Optional<Activation> made = current();
      if (made.isPresent()) {
        return made.get();
      }
      Activation fresh = builder.apply(memory);
      synchronized (this) {
        // The thread that cancels lets go of the activation after that, so that none is left
        // behind.
        if (!asked.cancelled()) {
          current = Optional.of(fresh);
          return fresh;
        }
      }
      fresh.agent().retire();
      throw asked.cancellation();
    }

    void leave() {
      retire(taken(Optional.empty()));
    }

    /**
     * Lets go of those that a piece of work has used. If it was cancelled, they are gone already,
     * and those that stand here are another's.
     */
    void leave(CancellationToken asked) {
      retire(taken(Optional.of(asked)));
    }

    private synchronized Optional<Activation> taken(Optional<CancellationToken> by) {
      if (by.filter(CancellationToken::cancelled).isPresent()) {
        return Optional.empty();
      }
      Optional<Activation> left = current;
      current = Optional.empty();
      return left;
    }

    private static void retire(Optional<Activation> left) {
      left.ifPresent(activation -> activation.agent().retire());
    }

    private synchronized Optional<Activation> current() {
      return current;
    }
  }

  /** Hears of an agent's actions as they begin and end, on their threads. */
  interface ActionWatch {

    /** Hears nothing. */
    ActionWatch NONE =
        new ActionWatch() {
          @Override
          public void begins(String action) {}

          @Override
          public void ended(String action, Duration took) {}
        };

    /**
     * @param action which action of which capability
     */
    void begins(String action);

    void ended(String action, Duration took);
  }

  /**
   * The dispatcher as a policy has it: a step dispatches one action or performs several, and none
   * twice in a run.
   *
   * @param current the step that is under way; throws where there is none
   */
  record Dispatcher(
      CapabilityDispatcher dispatcher, Supplier<CurrentStep> current, ActionWatch watch)
      implements ActionDispatcher {

    @Override
    public ActionResult dispatch(Action action) {
      CurrentStep step = current.get();
      if (step.state().result(action.actionId()).isPresent()) {
        return refused(action, "the run has had an action " + action.actionId() + " before");
      }
      Optional<String> refusal = step.begin(action);
      if (refusal.isPresent()) {
        return refused(action, refusal.get());
      }
      return step.end(action, watched(action, () -> dispatcher.dispatch(action)));
    }

    @Override
    public ActionResult perform(Action action) {
      return current
          .get()
          .perform(action, counted -> watched(action, () -> dispatcher.perform(action, counted)));
    }

    private ActionResult watched(Action action, Supplier<ActionResult> execution) {
      watch.begins(action.key());
      Stopwatch took = Stopwatch.start();
      try {
        return execution.get();
      } finally {
        watch.ended(action.key(), took.elapsed());
      }
    }

    /** Ends the external action of a step that a crash has cut off. */
    ActionResult finish(Action action, boolean retryable) {
      CurrentStep step = current.get();
      step.begin(action)
          .ifPresent(why -> {
            throw new IllegalStateException(why);
          });
      return step.end(action, dispatcher.finish(action, retryable));
    }

    void enter(CurrentStep step) {
      dispatcher.enter(step.state(), step.journal());
    }

    void leave() {
      dispatcher.leave();
    }

    @Override
    public JsonNode resolve(JsonNode value) {
      return dispatcher.resolve(value);
    }

    @Override
    public List<ActionGroup> groups() {
      return dispatcher.groups();
    }

    @Override
    public void offer(ActionProvider provider) {
      dispatcher.offer(provider);
    }

    @Override
    public void limitTo(Set<String> keys) {
      dispatcher.limitTo(keys);
    }

    private static ActionResult refused(Action action, String why) {
      return ActionResult.unsuccessful(action.actionId(), ActionResult.Status.REFUSED, why);
    }
  }
}
