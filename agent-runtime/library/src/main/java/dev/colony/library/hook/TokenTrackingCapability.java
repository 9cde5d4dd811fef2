package dev.colony.library.hook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.SessionId;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Hook.OnError;
import dev.colony.agent.author.HookContext;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.inference.InferenceReply;
import dev.colony.schema.JsonValues;
import java.util.List;
import java.util.Optional;

/**
 * Counts the tokens of the agent's model calls, per run and per session, and warns before a budget
 * is used up.
 *
 * <p>The totals are part of the agent's state: a step that is executed again after a crash counts
 * once. After each iteration that asked a model they are written to the blackboard, {@code
 * tokens:run:ID} in the capability's scope and {@code agent:NAME} in the namespace {@code tokens}
 * of the session. The first time that a run or a session has used the given share of its budget,
 * {@code tokens:warning:run:ID} or {@code tokens:warning:session:ID} is created in the capability's
 * scope, once; a budget ends nothing here, see {@link dev.colony.agent.RunBudget}. Failures of
 * writes are logged and leave the run as it is.
 */
@Registered(
    value = "hook.token_tracking",
    summary = "Counts the tokens of model calls per run and session; warns before a budget ends.")
public class TokenTrackingCapability extends AgentCapability {

  /**
   * What to warn of.
   *
   * @param runBudget tokens; empty for the blueprint's, if it has one
   * @param sessionBudget tokens of this agent in one session; empty for no warning
   * @param warnAt the share of a budget at which it warns
   */
  public record Args(
      Optional<Long> runBudget,
      Optional<Long> sessionBudget,
      @Range(min = 0, max = 1) double warnAt) {

    /** Warns when four fifths of the blueprint's budget are used. */
    public static final Args DEFAULT = new Args(Optional.empty(), Optional.empty(), 0.8);
  }

  /** What a warning says. */
  public record Warning(long used, long budget) {}

  private record Kept(List<TokenLedger.Line> runs, List<TokenLedger.Line> sessions) {}

  private final Args args;
  private final TokenLedger runs = new TokenLedger();
  private final TokenLedger sessions = new TokenLedger();
  private boolean unpublished;

  TokenTrackingCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
  }

  /** What a run of this agent has taken so far, one of its last {@value TokenLedger#MAX_NAMES}. */
  public synchronized TokenTotals ofRun(RunId run) {
    return runs.of(run.value());
  }

  /**
   * What all agents of a session that count their tokens have taken, as far as they have written it
   * down. Blocks. Cost: one read for each hundred agents.
   */
  public TokenTotals ofSession(SessionId session) throws Exception {
    return board(session).queryAll(Query.keys("agent:*")).toCompletableFuture().get().stream()
        .map(entry -> entry.as(TokenTotals.class))
        .reduce(TokenTotals.NONE, TokenTotals::plus);
  }

  @Hook(after = "Inference.infer", onError = OnError.SUPPRESS)
  void count(HookContext call, InferenceReply reply) throws Exception {
    ExecutionContext context = agent().context();
    TokenTotals ofRun;
    Optional<TokenTotals> ofSession;
    synchronized (this) {
      ofRun = runs.add(context.run().value(), reply);
      ofSession = context.session().map(session -> sessions.add(session.value(), reply));
      unpublished = true;
    }
    Optional<Long> budget = args.runBudget().or(() -> agent().blueprint().budget().tokens());
    warn("run:" + context.run(), ofRun, reply, budget);
    if (ofSession.isPresent()) {
      warn(
          "session:" + context.session().orElseThrow(),
          ofSession.get(),
          reply,
          args.sessionBudget());
    }
  }

  /** Writes only where this reply crossed the line, so that a run under way costs no writes. */
  private void warn(String what, TokenTotals totals, InferenceReply reply, Optional<Long> budget)
      throws Exception {
    if (budget.isEmpty()) {
      return;
    }
    double line = args.warnAt() * budget.get();
    long before = totals.tokens() - TokenTotals.NONE.plus(reply).tokens();
    if (before < line && totals.tokens() >= line) {
      Warning warning = new Warning(totals.tokens(), budget.get());
      blackboard()
          .write(Write.value("tokens:warning:" + what, warning).ifAbsent())
          .toCompletableFuture()
          .get();
    }
  }

  @Hook(after = "ActionPolicy.executeIteration", onError = OnError.SUPPRESS)
  void publish() throws Exception {
    ExecutionContext context = agent().context();
    TokenTotals ofRun;
    Optional<TokenTotals> ofSession;
    synchronized (this) {
      if (!unpublished) {
        return;
      }
      unpublished = false;
      ofRun = runs.of(context.run().value());
      ofSession = context.session().map(session -> sessions.of(session.value()));
    }
    blackboard()
        .write(Write.value("tokens:run:" + context.run(), ofRun))
        .toCompletableFuture()
        .get();
    if (ofSession.isPresent()) {
      board(context.session().orElseThrow())
          .write(Write.value("agent:" + agent().id().name(), ofSession.get()))
          .toCompletableFuture()
          .get();
    }
  }

  private Blackboard board(SessionId session) {
    ExecutionContext context = agent().context();
    Scope scope = Scope.session(context.tenant(), context.colony(), session.value());
    return agent().blackboard(scope.namespace("tokens"));
  }

  @Override
  public synchronized JsonNode snapshot() {
    return runs.lines().isEmpty()
        ? super.snapshot()
        : JsonValues.toJson(new Kept(runs.lines(), sessions.lines()));
  }

  @Override
  public synchronized void restore(JsonNode snapshot) {
    Kept kept = (Kept) JsonValues.read(snapshot, Kept.class);
    runs.restore(kept.runs);
    sessions.restore(kept.sessions);
  }
}
