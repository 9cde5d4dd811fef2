package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.ActionPolicyInput;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.library.prompt.PlanningContext;
import dev.colony.library.prompt.PlanningContext.RenderedStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The model picks one action in each iteration and sees what it came to in the next, until it says
 * that the goals are reached, that they cannot be, or that there is nothing to do for now. It keeps
 * no plan.
 *
 * <p>An answer that does not satisfy its schema is repaired once by the gateway, within the call;
 * after that the iteration ends without an action, and the next prompt tells the model. After
 * {@code colony.agent.policy.unusable-answers} such iterations in a row the run fails, as it does
 * when the model cannot be asked. In all, an iteration makes one model call, and one more where
 * there are more than {@code two-phase-above} actions.
 */
@Registered(
    value = "colony.minimal",
    summary = "A model picks one action at a time until the goals are reached.")
public class MinimalActionPolicy extends EventDrivenActionPolicy {

  /**
   * What all runs of the agent have in common.
   *
   * @param role who the agent is and how it works
   * @param goals that stand before those of a run; what an agent lives by that events wake
   * @param constraints likewise
   */
  public record Args(
      Optional<String> role,
      Optional<List<String>> goals,
      Optional<List<String>> constraints,
      Optional<ActionPolicyIO> io) {

    public static final Args NONE =
        new Args(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public Args role(String text) {
      return new Args(Optional.of(text), goals, constraints, io);
    }

    public Args goals(String... texts) {
      return new Args(role, Optional.of(List.of(texts)), constraints, io);
    }

    public Args constraints(String... texts) {
      return new Args(role, goals, Optional.of(List.of(texts)), io);
    }

    /** What runs are given and give. */
    public Args io(ActionPolicyIO declared) {
      return new Args(role, goals, constraints, Optional.of(declared));
    }
  }

  private final Args args;
  private final ModelPlanner planner;

  public MinimalActionPolicy(PolicyContext context, Args args) {
    super(context);
    this.args = args;
    this.planner = new ModelPlanner(context.agent(), context.settings());
  }

  @Override
  public ActionPolicyIO io() {
    return args.io().orElse(ActionPolicyIO.ANYTHING);
  }

  @Override
  protected final Decision planStep(ActionPolicyExecutionState state) throws Exception {
    PlannerNotes notes = PlannerNotes.of(state);
    List<JsonNode> news = news(state, notes);
    PlannerReply answer;
    try {
      answer =
          resolved(
              planner.decide(
                  planningContext(state, plannedActions(state), news, problem(state, notes)),
                  io().resultSchema()));
    } catch (AgentException failure) {
      return new Decision.Fail(
          new ErrorContext("model", failure.getMessage(), Optional.empty(), failure.retryable()));
    }
    if (answer instanceof PlannerReply.Unusable unusable) {
      return notUsable(state, new PlannerNotes(notes.unusable() + 1, problem(unusable), news));
    }
    PlannerNotes.forget(state);
    return switch (answer) {
      case PlannerReply.Take take ->
          new Decision.Act(Action.of("a" + (state.iterationNum() + 1), take.key(), take.params()));
      case PlannerReply.Complete complete -> Decision.Complete.with(complete.result());
      case PlannerReply.Idle idle -> new Decision.Idle();
      case PlannerReply.GiveUp giveUp ->
          new Decision.Fail(ErrorContext.of("gave-up", "gave up: " + giveUp.reason()));
      case PlannerReply.Unusable done -> throw new IllegalStateException("dealt with: " + done);
    };
  }

  /** What a model says that the run gives may refer to results, as parameters may. */
  private PlannerReply resolved(PlannerReply answer) {
    if (!(answer instanceof PlannerReply.Complete complete)) {
      return answer;
    }
    try {
      return new PlannerReply.Complete(dispatcher().resolve(complete.result()));
    } catch (AgentException missing) {
      return new PlannerReply.Unusable(missing.getMessage());
    }
  }

  /** What the model is shown. A subclass may add to it, or leave out. */
  protected PlanningContext planningContext(
      ActionPolicyExecutionState state,
      List<ActionGroup> actions,
      List<JsonNode> news,
      Optional<String> problem) {
    ActionPolicyInput input = ActionPolicyInput.of(state.request());
    ObjectNode given = input.initialContext().deepCopy();
    given.setAll(input.fields());
    return new PlanningContext(
        args.role().orElse(""),
        both(args.goals(), input.goals()),
        both(args.constraints(), input.constraints()),
        given,
        context().streams().stream()
            .map(stream -> new RenderedStream(stream.name(), stream.render(state.entries(stream))))
            .toList(),
        news,
        agent().backgroundProcesses(),
        actions,
        state.history(),
        state.approvals(),
        problem);
  }

  private Decision notUsable(ActionPolicyExecutionState state, PlannerNotes notes) {
    int most = context().settings().unusableAnswers();
    if (notes.unusable() >= most) {
      return new Decision.Fail(
          ErrorContext.of(
              "model",
              "the model gave no usable answer in %d iterations: %s"
                  .formatted(most, notes.problem().orElse(""))));
    }
    notes.keep(state);
    return new Decision.Skip();
  }

  private static Optional<String> problem(PlannerReply.Unusable unusable) {
    return Optional.of("Your answer was not usable: " + unusable.error());
  }

  private static Optional<String> problem(ActionPolicyExecutionState state, PlannerNotes notes) {
    List<String> lines = new ArrayList<>(state.received().problems());
    notes.problem().ifPresent(lines::add);
    return lines.isEmpty() ? Optional.empty() : Optional.of(String.join("\n", lines));
  }

  private List<JsonNode> news(ActionPolicyExecutionState state, PlannerNotes notes) {
    List<JsonNode> news =
        Stream.<JsonNode>concat(notes.news().stream(), state.received().untaken().stream())
            .toList();
    int over = news.size() - context().settings().pendingEvents();
    return over > 0 ? news.subList(over, news.size()) : news;
  }

  private static List<String> both(Optional<List<String>> standing, List<String> ofRun) {
    return Stream.concat(standing.stream().flatMap(List::stream), ofRun.stream()).toList();
  }
}
