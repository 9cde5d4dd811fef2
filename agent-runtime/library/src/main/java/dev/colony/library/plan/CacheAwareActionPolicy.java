package dev.colony.library.plan;

import dev.colony.agent.AgentException;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyInput;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.library.plan.PlanWatch.PlanMemory;
import dev.colony.library.policy.ActionCatalog.ActionNames;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.PlanningActionPolicy;
import dev.colony.library.policy.PlanningContext;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A model makes a plan, the policy carries it out and holds what comes against what was expected;
 * the model is asked again only where something deviates. Actions that do not wait for each other
 * are executed side by side; composite ones are planned when their turn comes; a plan that is
 * revised, taken back or put before a supervisor goes on where it stands, also on another node.
 *
 * <p>A reply that cannot be used is repaired once within the call; after that the iteration ends,
 * and the next prompt tells the model. After {@code colony.agent.policy.unusable-answers} such
 * iterations in a row the run fails, as it does when the model cannot be asked, when the model
 * gives the goal up, and when the plan was revised as often as it may be. An iteration asks at most
 * one question.
 *
 * <p>Source: the seed's page on action policies; model-predictive control.
 */
@Registered(
    value = "colony.cache-aware",
    summary = "A model makes plans; they are carried out, watched and revised.")
public class CacheAwareActionPolicy extends PlanningActionPolicy {

  private final PlanArgs args;
  private final PlanMachine machine;
  private final PlanChange change;
  private final PlanQuestion question;
  private final PlanActions actions;
  private final PlanPages pages;

  public CacheAwareActionPolicy(PolicyContext context, PlanArgs args) {
    super(context, args.planner().orElse(PlannerArgs.NONE));
    this.args = args;
    PlanRules rules = args.planRules();
    this.machine = new PlanMachine(rules);
    this.change = new PlanChange(rules);
    this.question = new PlanQuestion(context, args.planner().orElse(PlannerArgs.NONE), rules);
    this.actions = new PlanActions(context);
    this.pages = new PlanPages(context.agent(), args.cacheTokens().orElse(0L));
  }

  @Override
  protected final Decision planStep(ActionPolicyExecutionState state) throws Exception {
    PlanMemory memory = new PlanMemory(state);
    PlanIteration iteration =
        new PlanIteration(
            new PlanIteration.Parts(context(), machine, change, question, actions, pages, io()),
            state,
            memory,
            () -> planning(state, memory),
            end -> ended(state, end),
            this::reasoned);
    wrapsUp(state);
    Decision decision;
    try {
      decision = iteration.decide(memory.plan(goal(state)));
    } catch (AgentException failure) {
      decision = unasked(failure);
    }
    memory.keep(iteration.plan());
    for (ActionCall call : iteration.calls()) {
      observe(state, call);
    }
    return decision;
  }

  /** Plans name actions by their keys. */
  @Override
  protected ActionNames names(ActionPolicyExecutionState state) {
    return ActionNames.KEYS;
  }

  private PlanningContext planning(ActionPolicyExecutionState state, PlanMemory memory)
      throws InterruptedException {
    List<String> problems =
        Stream.of(state.received().problems(), memory.problems()).flatMap(List::stream).toList();
    return planningContext(state, Map.of(), List.copyOf(state.received().untaken()), problems);
  }

  private String goal(ActionPolicyExecutionState state) {
    List<String> goals =
        Stream.concat(
                args.planner().orElse(PlannerArgs.NONE).goals().stream().flatMap(List::stream),
                ActionPolicyInput.of(state.request()).goals().stream())
            .toList();
    return goals.isEmpty() ? "what the input and the events ask for" : String.join("; ", goals);
  }
}
