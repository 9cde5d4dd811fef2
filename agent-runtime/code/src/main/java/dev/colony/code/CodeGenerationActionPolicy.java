package dev.colony.code;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.author.Registered;
import dev.colony.code.Cell.CellOutcome;
import dev.colony.code.CodePrompt.CodeLayers;
import dev.colony.code.Sandbox.CodeSettings;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.ToolChoice;
import dev.colony.library.policy.ActionCatalog.ActionNames;
import dev.colony.library.policy.JsonPreview;
import dev.colony.library.policy.ModelQuestion;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.PlannerArgs.PlannerModel;
import dev.colony.library.policy.PlanningActionPolicy;
import dev.colony.library.policy.PlanningPrompt;
import dev.colony.library.policy.PlanningPrompt.KeptPrompt;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.policy.PromptLayers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The model writes a small program in each iteration, a cell of JavaScript, and sees in the next
 * what it has printed and what went wrong, until it says that the goals are reached, that they
 * cannot be, or that there is nothing to do for now. The agent's actions are functions of the cell,
 * and what it leaves in its variables is there in the next one.
 *
 * <p>A cell is executed in the node's {@link Sandbox}. Each of its calls is an action of the run,
 * durable before the cell goes on, so that after a crash the cell is executed again and the calls
 * that had ended give what they gave: nothing external happens twice. A cell whose call waits, for
 * a person or for another agent, ends there, and is executed again when what it waits for has
 * happened. Its clock stands at the end of the cell before and its random numbers are those of its
 * number, so that it does the same then; where it does not, it ends with an error.
 *
 * <p>A reply that is no cell and no end is repaired once by the gateway, within the call; after
 * {@code colony.agent.policy.unusable-answers} iterations in a row without a usable reply, or
 * {@code colony.code.failing-cells} cells in a row that end with an error, the run fails, as it
 * does when the model cannot be asked.
 */
@Registered(
    value = "colony.code",
    summary = "A model writes small programs that call the agent's actions.")
public class CodeGenerationActionPolicy extends PlanningActionPolicy {

  /**
   * What all runs of the agent have in common.
   *
   * @param planner role, goals, input, output, model and the layers of the prompt
   * @param keptVariables names of the variables that outlive a run: later runs of the agent find
   *     them as the last cell that came to its end has left them; 100 at most
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Args(Optional<PlannerArgs> planner, Optional<List<String>> keptVariables) {

    private static final int MOST_KEPT = 100;

    public static final Args NONE = new Args(Optional.empty(), Optional.empty());

    public Args {
      keptVariables.ifPresent(Args::check);
    }

    private static void check(List<String> names) {
      names.stream()
          .filter(name -> !Cell.named(name))
          .findFirst()
          .ifPresent(wrong -> {
            throw new IllegalArgumentException("keptVariables: no variable is called " + wrong);
          });
      if (names.size() > MOST_KEPT) {
        throw new IllegalArgumentException(
            "keptVariables are %d, but must be at most %d".formatted(names.size(), MOST_KEPT));
      }
    }

    public Args planner(PlannerArgs other) {
      return new Args(Optional.of(other), keptVariables);
    }

    public Args keptVariables(String... names) {
      return new Args(planner, Optional.of(List.of(names)));
    }
  }

  private static final String NOTES = "#code";
  private static final String CELLS = "cells";
  private static final String TIME = "time";
  private static final String UNUSABLE = "unusable";
  private static final String FAILING = "failing";
  private static final String PROBLEM = "problem";
  private static final String PENDING = "pending";
  private static final String CALL = "cell";

  private final PlannerArgs args;
  private final Set<String> kept;
  private final Sandbox sandbox;
  private final CodeSettings settings;
  private final CodePrompt prompts;

  /**
   * @throws AgentException if the node has no {@link Sandbox}, or a layer of the prompt cannot be
   *     made
   */
  public CodeGenerationActionPolicy(PolicyContext context, Args args) {
    super(context, args.planner().orElse(PlannerArgs.NONE));
    this.args = args.planner().orElse(PlannerArgs.NONE);
    this.kept = Set.copyOf(args.keptVariables().orElse(List.of()));
    this.sandbox = context.agent().service(Sandbox.class);
    this.settings = sandbox.settings();
    this.prompts =
        new CodePrompt(
            context,
            this.args.prompt().map(PromptLayers::new).orElse(CodeLayers.STOCK),
            this.args,
            settings);
    sandbox.prepare();
  }

  @Override
  protected final Decision planStep(ActionPolicyExecutionState state) throws Exception {
    if (!state.custom().has(NOTES)) {
      variables(state).recall();
    }
    ObjectNode notes = state.custom().withObject("/" + NOTES);
    Transcript transcript = new Transcript(state.custom(), prompts.cellTokens());
    List<JsonNode> news = List.copyOf(state.received().untaken());
    if (!news.isEmpty()) {
      transcript.add(
          new Transcript.Turn(Optional.empty(), Optional.empty(), events(news), Set.of()));
    }
    Functions functions = Functions.of(plannedActions(state));
    Optional<CodeReply.Run> pending = pending(notes);
    if (pending.isPresent()) {
      return execute(state, notes, transcript, functions, pending.get());
    }
    CodeReply reply;
    try {
      reply = resolved(ask(state, notes, transcript));
    } catch (AgentException failure) {
      return failed("model", failure);
    }
    if (reply instanceof CodeReply.Unusable unusable) {
      return unusable(notes, unusable.why());
    }
    notes.remove(List.of(UNUSABLE, PROBLEM));
    return switch (reply) {
      case CodeReply.Run run -> {
        notes.put(CELLS, notes.path(CELLS).asInt() + 1);
        yield execute(state, notes, transcript, functions, run);
      }
      case CodeReply.Complete complete -> Decision.Complete.with(complete.result());
      case CodeReply.Idle idle -> new Decision.Idle();
      case CodeReply.GiveUp giveUp ->
          new Decision.Fail(ErrorContext.of("gave-up", "gave up: " + giveUp.reason()));
      case CodeReply.Unusable done -> throw new IllegalStateException("dealt with: " + done);
    };
  }

  /** A cell calls them as functions. */
  @Override
  protected ActionNames names(ActionPolicyExecutionState state) {
    return ActionNames.of(Functions.of(dispatcher().groups()).names());
  }

  private static Decision failed(String kind, AgentException failure) {
    return new Decision.Fail(
        new ErrorContext(kind, failure.getMessage(), Optional.empty(), failure.retryable()));
  }

  private ReplVariables variables(ActionPolicyExecutionState state) {
    return new ReplVariables(state.custom(), state.policy(), kept);
  }

  private CodeReply ask(ActionPolicyExecutionState state, ObjectNode notes, Transcript transcript)
      throws Exception {
    ReplVariables variables = variables(state);
    Set<String> unseen = new HashSet<>(variables.all().keySet());
    unseen.removeAll(transcript.shown());
    List<String> problems = new ArrayList<>(state.received().problems());
    Optional.ofNullable(notes.path(PROBLEM).textValue()).ifPresent(problems::add);
    PlanningPrompt prompt =
        prompts.prompt(
            planningContext(state, Map.of(), List.of(), problems),
            transcript,
            variables.lines(unseen),
            kept,
            CodeReply.tools(io().resultSchema()));
    AtomicReference<PlanningPrompt> sent = new AtomicReference<>(prompt);
    InferenceReply reply;
    try {
      reply =
          PromptFit.infer(
              agent(),
              CALL,
              less -> {
                sent.set(
                    prompt.shorter(less, page -> PromptFit.pageTokens(agent(), List.of(page))));
                return prompts.call(
                    sent.get(),
                    less == 0 ? transcript : transcript.newest(prompts.cellTokens(sent.get())),
                    form());
              });
    } catch (AgentException failure) {
      return new CodeReply.Unusable(ModelQuestion.unusable(failure).orElseThrow(() -> failure));
    }
    KeptPrompt.keep(agent(), sent.get(), reply, context().settings());
    reasoned(JsonPreview.cut(CodeReply.said(reply), PolicySettings.REASONING_CHARS));
    return CodeReply.read(reply);
  }

  private ReplyForm form() {
    int tokens =
        args.model()
            .flatMap(PlannerModel::answerTokens)
            .orElse(context().settings().policy().answerTokens());
    return ReplyForm.text(tokens)
        .tools(CodeReply.tools(io().resultSchema()), ToolChoice.AUTO)
        .check(text ->
            CodeReply.read(text) instanceof CodeReply.Unusable unusable
                ? Optional.of(unusable.why())
                : Optional.empty());
  }

  /** What the model says that the run gives may refer to variables and results. */
  private CodeReply resolved(CodeReply reply) {
    if (!(reply instanceof CodeReply.Complete complete)) {
      return reply;
    }
    try {
      JsonNode result = dispatcher().resolve(complete.result());
      return io().wrongOutput(result)
          .<CodeReply>map(CodeReply.Unusable::new)
          .orElseGet(() -> new CodeReply.Complete(result));
    } catch (AgentException missing) {
      return new CodeReply.Unusable(missing.getMessage());
    }
  }

  private Decision unusable(ObjectNode notes, String why) {
    int times = notes.path(UNUSABLE).asInt() + 1;
    int most = context().settings().policy().unusableAnswers();
    if (times >= most) {
      return new Decision.Fail(
          ErrorContext.of(
              "model",
              "the model gave no usable answer in %d iterations: %s".formatted(most, why)));
    }
    notes.put(UNUSABLE, times).put(PROBLEM, "Your reply was not usable: " + why);
    return new Decision.Skip();
  }

  private static Optional<CodeReply.Run> pending(ObjectNode notes) {
    JsonNode pending = notes.path(PENDING);
    return pending.isObject()
        ? Optional.of(
            new CodeReply.Run(
                pending.path("source").asText(),
                Optional.ofNullable(pending.path("tool").textValue())))
        : Optional.empty();
  }

  private Decision execute(
      ActionPolicyExecutionState state,
      ObjectNode notes,
      Transcript transcript,
      Functions functions,
      CodeReply.Run run)
      throws Exception {
    int number = notes.path(CELLS).asInt();
    ReplVariables variables = variables(state);
    Cell cell =
        new Cell(
            run.source(),
            (state.request().runId() + ":" + number).hashCode(),
            notes.has(TIME) ? Instant.parse(notes.get(TIME).asText()) : state.request().at(),
            functions,
            variables.all());
    JournaledCalls calls = new JournaledCalls(agent(), dispatcher(), state, number);
    CellOutcome outcome;
    try {
      outcome = sandbox.execute(cell, calls);
    } catch (AgentException unavailable) {
      return failed("code", unavailable);
    }
    if (calls.blocked().isPresent()) {
      ObjectNode pending = notes.putObject(PENDING).put("source", run.source());
      run.toolCallId().ifPresent(id -> pending.put("tool", id));
      ActionResult waits = calls.blocked().get();
      return new Decision.Blocked(waits.error(), waits.blockingAgentIds(), waits.until());
    }
    notes.remove(PENDING);
    notes.put(TIME, agent().blackboard().clock().instant().toString());
    variables.change(outcome.changed());
    Optional<String> error = calls.differing().or(outcome::error).or(() -> wrongResult(outcome));
    transcript.add(
        new Transcript.Turn(
            Optional.of(run.source()),
            run.toolCallId(),
            shown(outcome, error, variables.lines(outcome.changed().keySet())),
            outcome.changed().keySet()));
    return error.isPresent() ? failing(notes, error.get()) : ended(notes, outcome);
  }

  private Optional<String> wrongResult(CellOutcome outcome) {
    return outcome.completed().flatMap(result -> io().wrongOutput(result));
  }

  private Decision failing(ObjectNode notes, String error) {
    int times = notes.path(FAILING).asInt() + 1;
    notes.put(FAILING, times);
    return times < settings.failingCells()
        ? new Decision.Skip()
        : new Decision.Fail(
            ErrorContext.of(
                "code", "%d cells in a row have failed, the last: %s".formatted(times, error)));
  }

  private static Decision ended(ObjectNode notes, CellOutcome outcome) {
    notes.remove(FAILING);
    return outcome.completed().<Decision>map(Decision.Complete::with).orElseGet(Decision.Skip::new);
  }

  private String shown(CellOutcome outcome, Optional<String> error, List<String> variables) {
    StringBuilder shown = new StringBuilder(outcome.printed());
    if (outcome.more()) {
      shown
          .append("\n[it has printed more than ")
          .append(Cell.OUTPUT_CHARS)
          .append(" characters: the rest is not shown]\n");
    }
    error.ifPresent(why -> shown.append("Error: ").append(why).append('\n'));
    outcome.unkept().forEach(line -> shown.append(line).append('\n'));
    shown.append(CodePrompt.section("Variables changed", variables));
    String text = shown.toString().strip();
    return text.isEmpty() ? "The cell has ended and printed nothing." : text;
  }

  private String events(List<JsonNode> news) {
    int chars = PolicySettings.PREVIEW_CHARS;
    return CodePrompt.section(
        "New events", news.stream().map(one -> JsonPreview.of(one, chars)).toList());
  }
}
