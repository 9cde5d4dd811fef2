package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.library.policy.Proposal.Step;
import dev.colony.library.prompt.ActionNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The model picks what is done next and sees what it came to before it picks again, until it says
 * that the goals are reached, that they cannot be, or that there is nothing to do for now. It keeps
 * no plan.
 *
 * <p>A reply may hold several actions and, behind them, an end: the actions are taken one in each
 * iteration and in their order, without asking the model again. When one does not succeed, the rest
 * of the reply is dropped and the model is told.
 *
 * <p>A reply that cannot be used is repaired once within the call; after that the iteration ends
 * without an action, and the next prompt tells the model. After {@code
 * colony.agent.policy.unusable-answers} such iterations in a row the run fails, as it does when the
 * model cannot be asked. In all, an iteration makes one model call at most, one more where there
 * are more than {@code two-phase-above} actions, and one more where these do not fit into a prompt.
 */
@Registered(
    value = "colony.minimal",
    summary = "A model picks what is done next until the goals are reached.")
public class MinimalActionPolicy extends PlanningActionPolicy {

  /** Among the agent's entries: events that a run has failed on. */
  private static final String NEWS = "unansweredNews";

  public MinimalActionPolicy(PolicyContext context, PlannerArgs args) {
    super(context, args);
  }

  @Override
  protected final Decision planStep(ActionPolicyExecutionState state) throws Exception {
    PlannerNotes notes = PlannerNotes.of(state);
    List<JsonNode> news = news(state, notes);
    List<String> problems = new ArrayList<>(state.received().problems());
    notes.problem().ifPresent(problems::add);
    boolean going = state.history().isEmpty() || state.history().getLast().result().success();
    if (going && !notes.steps().isEmpty()) {
      return act(state, notes, notes.steps(), notes.end(), news);
    }
    if (going && notes.end().isPresent() && news.isEmpty() && problems.isEmpty()) {
      return end(state, notes, notes.end().get(), news);
    }
    dropped(state, notes).ifPresent(problems::add);
    return ask(state, notes, news, problems);
  }

  private Decision ask(
      ActionPolicyExecutionState state,
      PlannerNotes notes,
      List<JsonNode> news,
      List<String> problems)
      throws Exception {
    Proposal proposal;
    try {
      proposal = propose(planningContext(state, notes.reasons(), news, problems));
    } catch (AgentException failure) {
      unanswered(state, news);
      return new Decision.Fail(
          new ErrorContext("model", failure.getMessage(), Optional.empty(), failure.retryable()));
    }
    if (proposal instanceof Proposal.Steps) {
      state.policy().remove(NEWS);
    }
    return switch (proposal) {
      case Proposal.Unusable unusable -> notUsable(state, notes.unusable(unusable.error(), news));
      case Proposal.Steps steps when steps.actions().isEmpty() ->
          end(state, notes, steps.end().orElseThrow(), news);
      case Proposal.Steps steps -> {
        String id = PlannerNotes.actionId(PlannerNotes.next(state.history()));
        PlannerNotes reasoned =
            notes.reason(id, steps.reasoning(), context().settings().reasonings());
        yield act(state, reasoned, steps.actions(), steps.end(), List.of());
      }
    };
  }

  private static Decision act(
      ActionPolicyExecutionState state,
      PlannerNotes notes,
      List<Step> steps,
      Optional<Proposal.End> end,
      List<JsonNode> unseen) {
    Step first = steps.getFirst();
    notes.next(steps.subList(1, steps.size()), end, unseen).keep(state);
    return new Decision.Act(
        Action.of(
            PlannerNotes.actionId(PlannerNotes.next(state.history())),
            first.key(),
            first.parameters()));
  }

  private Decision end(
      ActionPolicyExecutionState state,
      PlannerNotes notes,
      Proposal.End end,
      List<JsonNode> shown) {
    try {
      Decision decision = ended(state, end);
      notes.next(List.of(), Optional.empty(), List.of()).keep(state);
      return decision;
    } catch (AgentException missing) {
      return notUsable(state, notes.unusable(missing.getMessage(), shown));
    }
  }

  private Decision notUsable(ActionPolicyExecutionState state, PlannerNotes notes) {
    int most = context().settings().unusableAnswers();
    if (notes.unusable() >= most) {
      unanswered(state, notes.news());
      return new Decision.Fail(
          ErrorContext.of(
              "model",
              "the model gave no usable answer in %d iterations: %s"
                  .formatted(most, notes.problem().orElse(""))));
    }
    notes.keep(state);
    return new Decision.Skip();
  }

  /** What of the last reply was not carried out. */
  private Optional<String> dropped(ActionPolicyExecutionState state, PlannerNotes notes) {
    ActionNames names = names(state);
    return notes.steps().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "These actions of your last reply were not taken, since the one before did not"
                + " succeed: "
                + notes.steps().stream()
                    .map(step -> names.of(step.key()))
                    .collect(Collectors.joining(", ")));
  }

  /** What no model has dealt with is shown in the agent's next run. */
  private static void unanswered(ActionPolicyExecutionState state, List<JsonNode> news) {
    if (!news.isEmpty()) {
      state.policy().putArray(NEWS).addAll(news);
    }
  }

  private List<JsonNode> news(ActionPolicyExecutionState state, PlannerNotes notes) {
    Stream<JsonNode> before =
        state.iterationNum() == 0 ? state.policy().path(NEWS).valueStream() : notes.news().stream();
    List<JsonNode> news =
        Stream.<JsonNode>concat(before, state.received().untaken().stream()).toList();
    int over = news.size() - context().settings().pendingEvents();
    return over > 0 ? news.subList(over, news.size()) : news;
  }
}
