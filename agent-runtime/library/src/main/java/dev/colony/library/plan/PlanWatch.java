package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Write;
import dev.colony.library.capability.ChildQuestion;
import dev.colony.library.plan.PlanChange.PlanFacts;
import dev.colony.library.plan.PlanIteration.Parts;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.Status;
import dev.colony.library.plan.PlanQuestion.PlanReply;
import dev.colony.library.policy.JsonPreview;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What has come to a plan since its last iteration: results, answers, events, pages, spending. */
record PlanWatch(Parts parts, ActionPolicyExecutionState state, PlanMemory memory) {

  private static final String SUPERVISOR = "escalations/";
  private static final int NEWS_CHARS = 300;

  /** Actions that were executed beside the plan: those that a person has answered, above all. */
  PlanState reconciled(PlanState before) {
    String run = state.request().runId().value();
    PlanState plan = before;
    for (PlanItem item : before.items().toList()) {
      Optional<ActionResult> result =
          item.status() == Status.WAITING || item.status() == Status.PENDING
              ? executed(item.id())
              : Optional.empty();
      if (result.isPresent()) {
        plan =
            parts.change().performed(plan, item.id(), parts.actions().outcome(result.get(), run));
      }
    }
    Optional<ActionResult> undone =
        plan.undoing().stream().findFirst().map(PlanChange::undoId).flatMap(this::executed);
    return undone.isPresent()
        ? parts.change().compensated(plan, parts.actions().outcome(undone.get(), run))
        : plan;
  }

  private Optional<ActionResult> executed(String id) {
    return state.result(id).filter(result -> !result.blocked());
  }

  /** The rest; pages are remembered, so that each change is told once. */
  PlanFacts facts(PlanState plan, CacheContext.Pages pages) {
    Set<String> now = pages.resident();
    Set<String> lost = new HashSet<>(memory.pages(PlanMemory.RESIDENT));
    lost.removeAll(now);
    lost.retainAll(PlanPages.workingSet(plan));
    Set<String> gone = new HashSet<>(memory.pages(PlanMemory.LOST));
    Set<String> regained = new HashSet<>(gone);
    regained.retainAll(now);
    gone.addAll(lost);
    gone.removeAll(now);
    memory.pages(PlanMemory.RESIDENT, now);
    memory.pages(PlanMemory.LOST, gone);
    Set<String> changed = new HashSet<>(state.received().keys());
    boolean begins = state.iterationNum() == 0 && EventBatch.of(state.request()).isEmpty();
    List<String> news =
        begins
            ? List.of()
            : state.received().contexts().stream()
                .map(one -> JsonPreview.of(one, NEWS_CHARS))
                .toList();
    return new PlanFacts(news, changed, lost, regained, budgetLeft());
  }

  /** The smallest share of iterations, tokens and money that is left, 0 to 1. */
  private double budgetLeft() {
    RunBudget bounds = state.bounds();
    double used =
        Stream.of(
                bounds.iterations().map(most -> (double) state.iterationNum() / most),
                bounds.tokens().map(most -> (double) tokensUsed() / most),
                bounds.cost().map(most -> state.stats().cost().doubleValue() / most.doubleValue()))
            .flatMap(Optional::stream)
            .mapToDouble(share -> share)
            .max()
            .orElse(0);
    return Math.max(0, 1 - used);
  }

  /** Tokens that are left of the run's bound; empty where it has none. */
  Optional<Long> tokensLeft() {
    return state.bounds().tokens().map(most -> Math.max(0, most - tokensUsed()));
  }

  private long tokensUsed() {
    return state.stats().usage().promptTokens() + state.stats().usage().completionTokens();
  }

  /** The name under which the supervisor approves or denies. */
  static String request(PlanState.Escalation escalation) {
    return "escalation-" + escalation.number();
  }

  /** The id of a question to the parent. */
  private String question(PlanState.Escalation escalation) {
    return state.request().runId().value() + "-" + escalation.number();
  }

  /** What the supervisor has said, in words for the planner; empty before that. */
  Optional<String> answer(PlanState.Escalation escalation) {
    return state
        .approval(request(escalation))
        .map(said -> words(who(said.by()), said.granted(), said.note()))
        .or(() ->
            ChildQuestion.answer(parts.context().agent(), question(escalation))
                .map(said -> words(who(said.by()), said.yes(), said.note())));
  }

  /** The supervisor is the agent's parent; others answer in its place. */
  private String who(String by) {
    return parts
        .context()
        .agent()
        .parent()
        .filter(parent -> by.equals(parent.name()) || by.equals(parent.persistenceId()))
        .map(parent -> "your supervisor " + by)
        .orElse(by);
  }

  private static String words(String by, boolean yes, String note) {
    return "%s says %s%s".formatted(by, yes ? "yes" : "no", note.isEmpty() ? "" : ": " + note);
  }

  /** When a person, or the parent of the agent, has answered. Blocks. */
  ResumptionCondition answered(PlanState.Escalation escalation) {
    Agent agent = parts.context().agent();
    ResumptionCondition person = new ResumptionCondition.Approved(request(escalation));
    return agent.parent().isEmpty()
        ? person
        : ResumptionCondition.any(person, ChildQuestion.answered(agent.id(), question(escalation)));
  }

  /** Writes the question where people and the parent find it, once in a run. Blocks. */
  void put(PlanState.Escalation escalation) {
    if (!memory.asked(escalation.number())) {
      Agent agent = parts.context().agent();
      JsonNode question =
          JsonNodeFactory.instance
              .objectNode()
              .put("question", escalation.question())
              .put("request", request(escalation))
              .put("run", state.request().runId().value())
              .put("level", escalation.level());
      Await.result(agent.blackboard().write(Write.of(SUPERVISOR + question(escalation), question)));
      ChildQuestion.ask(agent, question(escalation), escalation.question());
    }
  }

  /**
   * Where a plan is kept between iterations: in the policy's entries of the agent, so that it
   * outlives the run. A run that a caller asked for makes a plan of its own; one that events
   * started goes on with the plan that there is.
   */
  record PlanMemory(ActionPolicyExecutionState state) {

    /** Entries of the run: pages that are cached, and pages that were and are not any more. */
    static final String RESIDENT = "planResident";

    static final String LOST = "planLost";
    private static final String SHOWN = "planShown";
    private static final String CLOSING = "planClosing";

    private static final String UNUSABLE = "planUnusable";
    private static final String PROBLEM = "planProblem";
    private static final String ASKED = "planAsked";

    /** The plan to go on with, or one that nothing is planned for yet. */
    PlanState plan(String goal) {
      String run = state.request().runId().value();
      JsonNode kept = state.policy().path(PlanText.ENTRY);
      if (!kept.isObject()) {
        return PlanState.of(run, goal);
      }
      PlanState plan = (PlanState) JsonValues.read(kept, PlanState.class);
      boolean ofRun = plan.run().equals(run);
      if (plan.ending().isEmpty() && (ofRun || EventBatch.of(state.request()).isPresent())) {
        return plan.carriedOn(run);
      }
      return ofRun ? PlanState.of(run, goal).behind(plan) : PlanState.of(run, goal);
    }

    void keep(PlanState plan) {
      state.policy().set(PlanText.ENTRY, JsonValues.toJson(plan));
    }

    PlanReply.Closing closing() {
      JsonNode kept = state.custom().path(CLOSING);
      return kept.isObject()
          ? (PlanReply.Closing) JsonValues.read(kept, PlanReply.Closing.class)
          : PlanReply.Closing.NONE;
    }

    /** What a reply says of the completion, where it says something. */
    void remember(PlanReply.Closing closing) {
      if (!closing.equals(PlanReply.Closing.NONE)) {
        closing(closing);
      }
    }

    void closing(PlanReply.Closing closing) {
      state.custom().set(CLOSING, JsonValues.toJson(closing));
    }

    /** Iterations in a row without a usable answer, this one included. */
    int unusable(String problem) {
      int times = state.custom().path(UNUSABLE).asInt() + 1;
      state.custom().put(UNUSABLE, times).put(PROBLEM, problem);
      return times;
    }

    void usable() {
      state.custom().remove(List.of(UNUSABLE, PROBLEM));
    }

    /** What was wrong with the last answer, for the next prompt. */
    List<String> problems() {
      String problem = state.custom().path(PROBLEM).asText("");
      return problem.isEmpty() ? List.of() : List.of("Your reply was not usable: " + problem);
    }

    /**
     * Pages of the working set that were cached, or were not any more, when they were looked at.
     */
    Set<String> pages(String entry) {
      Set<String> pages = new LinkedHashSet<>();
      state.custom().path(entry).forEach(one -> pages.add(one.asText()));
      return pages;
    }

    void pages(String entry, Set<String> pages) {
      if (!pages.equals(pages(entry))) {
        pages.stream().sorted().forEach(state.custom().putArray(entry)::add);
      }
    }

    /** Pages of the plan that prompts of this run have shown, in their order. */
    List<String> shown() {
      return state.custom().path(SHOWN).valueStream().map(JsonNode::asText).toList();
    }

    void shown(List<String> pages) {
      if (!pages.equals(shown())) {
        pages.forEach(state.custom().putArray(SHOWN)::add);
      }
    }

    /** Whether the supervisor was asked this question in this run; from now on it was. */
    boolean asked(int number) {
      boolean before = state.custom().path(ASKED).asInt() == number;
      state.custom().put(ASKED, number);
      return before;
    }
  }
}
