package dev.colony.library.policy;

import dev.colony.agent.RunBudget;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Agent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.library.child.ChildrenCapability;
import dev.colony.library.child.DelegateCapability;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a run may still take, for its planner: iterations, time, tokens and money as far as the
 * agent's blueprint, the node or what people have granted bound them, and children where the agent
 * can spawn any.
 */
final class RunAllowance {

  private static final Logger LOG = LoggerFactory.getLogger(RunAllowance.class);
  private static final int SOME = 2;

  private RunAllowance() {}

  /** What is left, a line each. May block. */
  static List<String> left(Agent agent, ActionPolicyExecutionState state) {
    RunBudget bounds = state.bounds();
    List<String> left = new ArrayList<>();
    bounds
        .iterations()
        .ifPresent(
            most -> left.add("%,d of %,d iterations".formatted(most - state.iterationNum(), most)));
    bounds
        .tokens()
        .ifPresent(most -> {
          long used =
              state.stats().usage().promptTokens() + state.stats().usage().completionTokens();
          left.add("%,d of %,d tokens".formatted(Math.max(0, most - used), most));
        });
    bounds
        .cost()
        .ifPresent(most ->
            left.add(
                "%s of %s in money"
                    .formatted(
                        most.subtract(state.stats().cost()).max(BigDecimal.ZERO).toPlainString(),
                        most.toPlainString())));
    state.overAt().ifPresent(end -> left.add(time(agent.blackboard().clock().instant(), end)));
    children(agent, state).ifPresent(left::add);
    return left;
  }

  /** In whole units, so that the line stays the same for a while. */
  private static String time(Instant now, Instant end) {
    Duration left = now.isBefore(end) ? Duration.between(now, end) : Duration.ZERO;
    if (left.toDays() >= SOME) {
      return left.toDays() + " days";
    }
    if (left.toHours() >= SOME) {
      return left.toHours() + " hours";
    }
    return left.toMinutes() >= SOME ? left.toMinutes() + " minutes" : left.toSeconds() + " seconds";
  }

  private static Optional<String> children(Agent agent, ActionPolicyExecutionState state) {
    boolean spawns =
        agent.capabilities().stream()
            .filter(one -> !state.disabled().contains(one.capabilityKey()))
            .anyMatch(
                one -> one instanceof ChildrenCapability || one instanceof DelegateCapability);
    if (!spawns) {
      return Optional.empty();
    }
    try {
      return Optional.of("%,d more agents that work for you".formatted(agent.children().room()));
    } catch (BlackboardException unread) {
      LOG.debug("how many children {} may spawn is not shown", agent.id(), unread);
      return Optional.empty();
    }
  }
}
