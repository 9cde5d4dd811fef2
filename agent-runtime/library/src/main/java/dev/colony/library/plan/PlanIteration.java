package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.Decision;
import dev.colony.library.plan.PlanChange.Amendment;
import dev.colony.library.plan.PlanLevel.PlanItem;
import dev.colony.library.plan.PlanLevel.PlanItem.Status;
import dev.colony.library.plan.PlanMachine.PlanStep;
import dev.colony.library.plan.PlanQuestion.PlanReply;
import dev.colony.library.plan.PlanWatch.PlanMemory;
import dev.colony.library.policy.JsonPreview;
import dev.colony.library.policy.ModelPlanner.Proposal;
import dev.colony.library.policy.ModelQuestion.Answer;
import dev.colony.library.policy.ModelQuestion.Reading;
import dev.colony.library.policy.PlanningContext;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * One iteration over a plan: takes in what has come, does what the plan needs next until that has
 * to become durable, and says how the run goes on.
 */
final class PlanIteration {

  /** What all iterations of a policy share. */
  record Parts(
      PolicyContext context,
      PlanMachine machine,
      PlanChange change,
      PlanQuestion question,
      PlanActions actions,
      PlanPages pages,
      ActionPolicyIO io) {}

  private final Parts parts;
  private final ActionPolicyExecutionState state;
  private final PlanMemory memory;
  private final PlanWatch watch;
  private final Callable<PlanningContext> planning;
  private final Function<Proposal.End, Decision> ends;
  private final Consumer<String> reasoned;
  private final List<ActionCall> calls = new ArrayList<>();
  private CacheContext.Pages pages = CacheContext.Pages.UNKNOWN;
  private PlanState plan;
  private boolean asked;
  private String problem = "";

  /**
   * @param planning what the model is shown
   * @param ends how a run is ended
   * @param reasoned told why the model answers as it does
   */
  PlanIteration(
      Parts parts,
      ActionPolicyExecutionState state,
      PlanMemory memory,
      Callable<PlanningContext> planning,
      Function<Proposal.End, Decision> ends,
      Consumer<String> reasoned) {
    this.parts = parts;
    this.reasoned = reasoned;
    this.state = state;
    this.memory = memory;
    this.watch = new PlanWatch(parts, state, memory);
    this.planning = planning;
    this.ends = ends;
  }

  PlanState plan() {
    return plan;
  }

  /** The actions that were executed, in the order of the plan. */
  List<ActionCall> calls() {
    return calls;
  }

  /** What is to become of the run. */
  Decision decide(PlanState before) throws Exception {
    plan = parts.change().woken(watch.reconciled(before));
    pages = parts.pages().known(PlanPages.workingSet(plan));
    plan = parts.change().observed(plan, watch.facts(plan, pages));
    Set<String> declared = PlanPages.workingSet(plan);
    while (true) {
      Optional<Decision> decision = take(parts.machine().next(plan, pages));
      Set<String> left = PlanPages.workingSet(plan);
      if (!left.equals(declared) || plan.ending().isPresent() && !declared.isEmpty()) {
        parts.pages().declare(plan, pages);
        declared = plan.ending().isPresent() ? Set.of() : left;
      }
      if (decision.isPresent()) {
        parts.context().agent().inference().expects(plan.questionsToCome());
        return decision.get();
      }
    }
  }

  /** Does one step; empty where the plan is to be looked at again at once. */
  private Optional<Decision> take(PlanStep step) throws Exception {
    return switch (step) {
      case PlanStep.MakePlan make -> asked ? skip() : make(make);
      case PlanStep.Revise revise -> asked ? skip() : revise(revise);
      case PlanStep.Perform perform -> {
        for (PlanActions.Done done : parts.actions().perform(perform.actions(), run())) {
          calls.add(done.call());
          plan = parts.change().performed(plan, done.due().item(), done.outcome());
        }
        yield skip();
      }
      case PlanStep.Compensate compensate -> {
        PlanActions.Done done =
            parts.actions().perform(List.of(compensate.action()), run()).getFirst();
        calls.add(done.call());
        plan = parts.change().compensated(plan, done.outcome());
        yield skip();
      }
      case PlanStep.AwaitAnswer await -> await(await.escalation());
      case PlanStep.Await await -> {
        plan = parts.change().parked(plan);
        yield Optional.of(parts.actions().blocked(await.attempts()));
      }
      case PlanStep.ProposeCompletion proposed -> complete(proposed.result());
      case PlanStep.GiveUp giveUp -> {
        plan = parts.change().ended(plan, giveUp.reason());
        yield Optional.of(Decision.Fail.because(giveUp.reason()));
      }
      case PlanStep.Ended end ->
          Optional.of(Decision.Fail.because(plan.ending().orElse("the plan has ended")));
    };
  }

  private String run() {
    return state.request().runId().value();
  }

  private static Optional<Decision> skip() {
    return Optional.of(new Decision.Skip());
  }

  private Optional<Decision> make(PlanStep.MakePlan make) throws Exception {
    boolean root = make.level().equals(PlanState.ROOT);
    Set<String> allowed =
        root
            ? Set.of(PlanTools.PLAN, PlanTools.COMPLETE, PlanTools.IDLE, PlanTools.FAIL)
            : Set.of(PlanTools.PLAN, PlanTools.COMPLETE, PlanTools.FAIL);
    String text =
        root
            ? "Plan how your goals are reached."
            : "The turn of a part has come. Plan how its goal is reached: %s (%s)%s"
                .formatted(make.goal(), make.level(), input(make.level()));
    Optional<Answer<PlanReply>> answer = ask(text, allowed, make.level());
    if (answer.isEmpty()) {
      return unusable();
    }
    PlanReply reply = ((Reading.Good<PlanReply>) answer.get().reading()).value();
    PlanDraft nothing = PlanDraft.of();
    switch (reply) {
      case PlanReply.Plan made -> {
        memory.remember(made.closing());
        plan = parts.change().planned(plan, make.level(), chosen(made.drafts(), List.of()));
      }
      case PlanReply.Complete complete -> {
        memory.remember(complete.closing());
        plan =
            parts
                .change()
                .planned(
                    plan,
                    make.level(),
                    nothing.result(new Amendment.Complete(complete.result()).result()));
      }
      case PlanReply.Idle idle -> {
        return Optional.of(new Decision.Idle());
      }
      case PlanReply.GiveUp giveUp when root -> {
        return Optional.of(ends.apply(new Proposal.End.GiveUp(giveUp.reason())));
      }
      case PlanReply.GiveUp giveUp ->
          plan =
              parts
                  .change()
                  .amended(
                      parts.change().planned(plan, make.level(), nothing),
                      make.level(),
                      List.of(),
                      new Amendment.GiveUp(giveUp.reason()),
                      answer.get().reasoning());
      case PlanReply.GoOn goOn -> throw notAllowed(goOn);
      case PlanReply.Escalate escalate -> throw notAllowed(escalate);
      case PlanReply.Show show -> throw notAllowed(show);
    }
    return Optional.empty();
  }

  private String input(String level) {
    return plan.item(level).map(one -> one.action().work()).orElse(null)
                instanceof PlanAction.SubPlan sub
            && !sub.input().isNull()
        ? "\nIt starts from: " + sub.input()
        : "";
  }

  private Optional<Decision> revise(PlanStep.Revise revise) throws Exception {
    boolean root = revise.level().equals(PlanState.ROOT);
    Set<String> allowed =
        new HashSet<>(
            Set.of(
                PlanTools.PLAN,
                PlanTools.GO_ON,
                PlanTools.ESCALATE,
                PlanTools.COMPLETE,
                PlanTools.FAIL));
    boolean exhausted =
        plan.level(revise.level()).items().stream().allMatch(one -> one.status() != Status.PENDING);
    if (root && exhausted) {
      allowed.add(PlanTools.IDLE);
    }
    Optional<Answer<PlanReply>> answer =
        ask(
            PlanQuestion.text(
                revise,
                CacheContext.lostTokens(left(revise.level()), List.of(), pages),
                parts.pages().overlaps()),
            allowed,
            revise.level());
    if (answer.isEmpty()) {
      return unusable();
    }
    PlanReply reply = ((Reading.Good<PlanReply>) answer.get().reading()).value();
    if (reply instanceof PlanReply.Idle) {
      plan = parts.change().ended(plan, "nothing is to be done until something happens");
      return Optional.of(new Decision.Idle());
    }
    Amendment amendment = amendment(reply, left(revise.level()));
    plan =
        parts
            .change()
            .amended(plan, revise.level(), revise.triggers(), amendment, answer.get().reasoning());
    return Optional.empty();
  }

  /** What of a level has not been done. */
  private List<PlanAction> left(String level) {
    return plan.level(level).items().stream()
        .filter(one -> one.status() == Status.PENDING || one.status() == Status.OPEN)
        .map(PlanItem::action)
        .toList();
  }

  private Amendment amendment(PlanReply reply, List<PlanAction> before) {
    return switch (reply) {
      case PlanReply.Plan made -> {
        memory.remember(made.closing());
        PlanDraft draft = chosen(made.drafts(), before);
        yield switch (made.mode()) {
          case REVISE -> new Amendment.Revise(draft, made.keep());
          case ADD -> new Amendment.Add(draft);
          case BACKTRACK -> new Amendment.Backtrack(made.backTo(), draft);
          case START_ANEW -> new Amendment.StartAnew(draft);
        };
      }
      case PlanReply.GoOn goOn -> new Amendment.GoOn();
      case PlanReply.Escalate escalate -> new Amendment.Escalate(escalate.question());
      case PlanReply.Complete complete -> {
        memory.remember(complete.closing());
        yield new Amendment.Complete(complete.result());
      }
      case PlanReply.GiveUp giveUp -> new Amendment.GiveUp(giveUp.reason());
      case PlanReply.Idle idle -> throw notAllowed(idle);
      case PlanReply.Show show -> throw notAllowed(show);
    };
  }

  private static IllegalStateException notAllowed(PlanReply reply) {
    return new IllegalStateException("was not offered: " + reply);
  }

  private PlanDraft chosen(List<PlanDraft> drafts, List<PlanAction> before) {
    Set<String> named = new HashSet<>();
    before.forEach(one -> named.addAll(one.pages()));
    drafts.forEach(draft -> draft.actions().forEach(one -> named.addAll(one.pages())));
    pages = parts.pages().known(named);
    return CacheContext.hottest(drafts, before, pages);
  }

  /** The model's answer; empty for one that cannot be used, which is noted. */
  private Optional<Answer<PlanReply>> ask(String text, Set<String> allowed, String level)
      throws Exception {
    asked = true;
    PlanQuestion.Asked question =
        new PlanQuestion.Asked(
            text, allowed, plan.root().isPresent() ? PlanText.lines(plan) : List.of());
    Set<String> executed = new HashSet<>();
    state.history().forEach(call -> executed.add(call.action().actionId()));
    Answer<PlanReply> answer =
        parts.question().ask(context(), question, draft -> problems(draft, level, executed));
    return switch (answer.reading()) {
      case Reading.Good<PlanReply> good -> {
        memory.usable();
        reasoned.accept(answer.reasoning());
        yield Optional.of(answer);
      }
      case Reading.Wrong<PlanReply> wrong -> {
        problem = wrong.why();
        yield Optional.empty();
      }
    };
  }

  private PlanningContext context() throws Exception {
    int room = parts.context().settings().prompt().of("pages");
    return parts.pages().shown(planning.call(), plan, memory, room);
  }

  /** Why a draft cannot be carried out, a line each. */
  private List<String> problems(PlanDraft draft, String level, Set<String> executed) {
    List<String> problems = new ArrayList<>(parts.machine().problems(plan, level, draft, executed));
    watch
        .tokensLeft()
        .filter(left -> draft.costTokens() > left)
        .ifPresent(left ->
            problems.add(
                "its actions cost %,d tokens by what it says, but %,d are left of the run's budget"
                    .formatted(draft.costTokens(), left)));
    return problems;
  }

  private Optional<Decision> unusable() {
    int most = parts.context().settings().policy().unusableAnswers();
    if (memory.unusable(problem) >= most) {
      String why = "the model gave no usable answer in %d iterations: %s".formatted(most, problem);
      plan = parts.change().ended(plan, why);
      return Optional.of(new Decision.Fail(ErrorContext.of("model", why)));
    }
    return skip();
  }

  private Optional<Decision> await(PlanState.Escalation escalation) {
    Optional<String> answer = watch.answer(escalation);
    if (answer.isPresent()) {
      plan = parts.change().answered(plan, answer.get());
      return Optional.empty();
    }
    watch.put(escalation);
    return Optional.of(
        Decision.blocked(
            JsonPreview.cut(
                "asks the supervisor: " + escalation.question(), PlanActions.ERROR_CHARS),
            watch.answered(escalation)));
  }

  private Optional<Decision> complete(JsonNode proposed) {
    JsonNode result;
    try {
      result = parts.context().dispatcher().resolve(proposed);
    } catch (AgentException missing) {
      return refuse(missing.getMessage());
    }
    Optional<String> wrong = parts.io().wrongOutput(result);
    if (wrong.isPresent()) {
      return refuse(wrong.get());
    }
    PlanReply.Closing closing = memory.closing();
    Decision decision;
    try {
      decision =
          ends.apply(new Proposal.End.Complete(proposed, closing.exports(), closing.learned()));
    } catch (AgentException missing) {
      memory.closing(PlanReply.Closing.NONE);
      return refuse(missing.getMessage());
    }
    plan = parts.change().ended(plan, "completed");
    return Optional.of(decision);
  }

  private Optional<Decision> refuse(String why) {
    plan = parts.change().refused(plan, why);
    return Optional.empty();
  }
}
