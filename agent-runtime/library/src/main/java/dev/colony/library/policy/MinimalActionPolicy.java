package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.RunBudget;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult.ActionHistory;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.author.Registered;
import dev.colony.library.policy.ActionCatalog.ActionNames;
import dev.colony.library.policy.ModelPlanner.Proposal;
import dev.colony.library.policy.ModelPlanner.Proposal.End;
import dev.colony.library.policy.ModelPlanner.Proposal.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  /** Of how many of the latest actions the model's reasoning is kept. */
  private static final int REASONINGS = 16;

  /** Of what the model says while it comes to its end. */
  private static final int ANSWER_CHARS = 8_000;

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
    boolean wrapsUp = wrapsUp(state);
    boolean ends = notes.end().isPresent() && !late(state, notes.steps().size());
    if (going && !notes.steps().isEmpty() && (ends || !wrapsUp)) {
      return act(state, notes, notes.steps(), notes.end(), news);
    }
    if (going && notes.end().isPresent() && news.isEmpty() && problems.isEmpty()) {
      return end(state, notes, notes.end().get(), news);
    }
    dropped(state, notes, going).ifPresent(problems::add);
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
      proposal = propose(planningContext(state, notes.why(), news, problems));
    } catch (AgentException failure) {
      unanswered(state, news);
      return unasked(failure);
    }
    if (proposal instanceof Proposal.Steps steps) {
      state.policy().remove(NEWS);
      keepAnswer(state, steps.reasoning());
    }
    return switch (proposal) {
      case Proposal.Unusable unusable -> notUsable(state, notes.unusable(unusable.error(), news));
      case Proposal.Steps steps when steps.actions().isEmpty() ->
          end(state, notes, steps.end().orElseThrow(), news);
      case Proposal.Steps steps -> {
        String id = PlannerNotes.actionId(PlannerNotes.next(state.history()));
        PlannerNotes reasoned = notes.reason(id, steps.reasoning(), REASONINGS);
        yield early(state, reasoned, steps)
            .orElseGet(() -> act(state, reasoned, steps.actions(), steps.end(), List.of()));
      }
    };
  }

  /** What the model says while it comes to its end is an answer where it gives no other. */
  private static void keepAnswer(ActionPolicyExecutionState state, String reasoning) {
    if (ActionPolicyExecutionState.wrapUp(state.custom()).isPresent() && !reasoning.isBlank()) {
      state.answer(JsonPreview.cut(reasoning, ANSWER_CHARS));
    }
  }

  /**
   * The completion behind actions for which no iterations are left, where it needs none of them.
   */
  private Optional<Decision> early(
      ActionPolicyExecutionState state, PlannerNotes notes, Proposal.Steps steps) {
    boolean last = steps.end().filter(End.Complete.class::isInstance).isPresent();
    if (!last || !late(state, steps.actions().size())) {
      return Optional.empty();
    }
    try {
      Decision decision = ended(state, steps.end().get());
      notes.next(List.of(), Optional.empty(), List.of()).keep(state);
      return Optional.of(decision);
    } catch (AgentException missing) {
      return Optional.empty();
    }
  }

  /** Whether so many actions, and an end behind them, are more than there are iterations for. */
  private static boolean late(ActionPolicyExecutionState state, int actions) {
    return state.bounds().whenSpent() == RunBudget.WhenSpent.FAIL
        && state
            .bounds()
            .iterations()
            .filter(most -> state.iterationNum() + actions >= most)
            .isPresent();
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
    int most = context().settings().policy().unusableAnswers();
    if (notes.unusable().orElse(0) >= most) {
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
  private Optional<String> dropped(
      ActionPolicyExecutionState state, PlannerNotes notes, boolean going) {
    ActionNames names = names(state);
    return notes.steps().isEmpty()
        ? Optional.empty()
        : Optional.of(
            "These actions of your last reply were not taken, since "
                + (going ? "hardly anything is left to use: " : "the one before did not succeed: ")
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
    int over = news.size() - PolicySettings.PENDING_EVENTS;
    return over > 0 ? news.subList(over, news.size()) : news;
  }

  /**
   * What a planning policy keeps from one iteration of a run to the next, under one name of the
   * run's own entries.
   *
   * @param unusable iterations in a row without a usable answer
   * @param problem what went wrong in the last of them
   * @param news what the model was shown without a usable answer, and is shown again
   * @param steps that were proposed and are still to be taken
   * @param end what follows then
   * @param reasons why actions were chosen, in their order
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  record PlannerNotes(
      Optional<Integer> unusable,
      Optional<String> problem,
      List<JsonNode> news,
      List<Step> steps,
      Optional<End> end,
      List<Reason> reasons) {

    /** Why an action was chosen. */
    record Reason(String id, String why) {}

    private static final PlannerNotes NONE =
        new PlannerNotes(
            Optional.empty(), Optional.empty(), List.of(), List.of(), Optional.empty(), List.of());

    private static final String NAME = "planner";
    private static final char ID = 'a';

    PlannerNotes {
      news = news == null ? List.of() : List.copyOf(news);
      steps = steps == null ? List.of() : List.copyOf(steps);
      reasons = reasons == null ? List.of() : List.copyOf(reasons);
    }

    static PlannerNotes of(ActionPolicyExecutionState state) {
      JsonNode json = state.custom().path(NAME);
      return json.isObject() ? (PlannerNotes) JsonValues.read(json, PlannerNotes.class) : NONE;
    }

    /** Keeps them; what is empty is no entry. */
    void keep(ActionPolicyExecutionState state) {
      JsonNode json = JsonValues.toJson(this);
      if (json.isEmpty()) {
        state.custom().remove(NAME);
      } else {
        state.custom().set(NAME, json);
      }
    }

    /** Why actions were chosen, by their ids. */
    Map<String, String> why() {
      return reasons.stream().collect(Collectors.toMap(Reason::id, Reason::why));
    }

    /** The same after an iteration without a usable answer. */
    PlannerNotes unusable(String error, List<JsonNode> shown) {
      return new PlannerNotes(
          Optional.of(unusable.orElse(0) + 1),
          Optional.of("Your reply could not be used: " + error),
          shown,
          List.of(),
          Optional.empty(),
          reasons);
    }

    /** The same with what is still to be done, and with news that no model has been shown. */
    PlannerNotes next(List<Step> left, Optional<End> then, List<JsonNode> unseen) {
      return new PlannerNotes(Optional.empty(), Optional.empty(), unseen, left, then, reasons);
    }

    /** The same with the reason of one more action; of more than twice as many the oldest go. */
    PlannerNotes reason(String actionId, String why, int most) {
      if (why.isBlank()) {
        return this;
      }
      List<Reason> more =
          Stream.concat(
                  reasons.stream().filter(one -> !one.id().equals(actionId)),
                  Stream.of(new Reason(actionId, why)))
              .toList();
      int gone = more.size() > 2 * most ? more.size() - most : 0;
      return new PlannerNotes(unusable, problem, news, steps, end, more.subList(gone, more.size()));
    }

    /** The number of the next action of a run: one more than that of the last. */
    static int next(ActionHistory history) {
      return history.isEmpty()
          ? 1
          : Math.max(number(Action.firstId(history.getLast().action().actionId())), 0) + 1;
    }

    static String actionId(int number) {
      return ID + Integer.toString(number);
    }

    /** The number in the id of an action; that of its place where it has none. */
    static int number(String actionId) {
      String digits = actionId.isEmpty() ? "" : actionId.substring(1);
      return !actionId.isEmpty() && actionId.charAt(0) == ID && digits.matches("\\d{1,8}")
          ? Integer.parseInt(digits)
          : 0;
    }
  }
}
