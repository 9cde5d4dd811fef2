package dev.colony.cli.terminal;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.AgentView.OpenRunView;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.AgentView.RunView;
import dev.colony.agent.client.AgentView.SuspensionView;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.cli.terminal.AgentsText.ConditionText;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Tells an agent something and waits until its journal says that it has taken it. What makes no
 * difference as the agent stands is refused with {@link CommandFailure} before anything is told.
 * Its methods block.
 */
public final class SignalSender {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  /** No journal comes so far; asked for, it tells how far it has come. */
  private static final long FAR_AHEAD = 1L << 52;

  private final Colony colony;
  private final AgentHandle handle;
  private final AgentId id;
  private final Duration patience;

  /**
   * @param patience how long to wait for the agent to take what it was told
   */
  public SignalSender(Colony colony, AgentId id, Duration patience) {
    this.colony = colony;
    this.handle = colony.agent(id);
    this.id = id;
    this.patience = patience;
  }

  /** Has it put its state away, until a condition holds, if there is one, or it is resumed. */
  public SignalResult suspend(String reason, Optional<ResumptionCondition> until) {
    living();
    Optional<AgentView> before = newest(handle);
    if (before.flatMap(AgentView::suspension).filter(one -> explicit(one, until)).isPresent()) {
      return new SignalResult(id, true, id + " is suspended already");
    }
    long suspensions = before.map(AgentView::suspensions).orElse(0L);
    until
        .map(condition -> handle.suspend(reason, condition))
        .orElseGet(() -> handle.suspend(reason))
        .join();
    return await(
        now ->
            now.suspensions() > suspensions
                && now.suspension().stream().allMatch(SignalSender::explicit),
        id + " is suspended until " + until.map(ConditionText::of).orElse("it is resumed"));
  }

  public SignalResult resume(String reason) {
    AgentState state = living().state();
    SuspensionView suspension =
        newest(handle)
            .flatMap(AgentView::suspension)
            .orElseThrow(
                () -> CommandFailure.unsuccessful(id + " is not suspended: it is " + state));
    if (suspension.cause() == SuspensionCause.PAGES) {
      throw CommandFailure.unsuccessful(
          id + " goes on by itself when its pages are in a cache again");
    }
    if (suspension.cause() == SuspensionCause.SCOPE) {
      throw CommandFailure.unsuccessful(
          "%s goes on when that is resumed: %s".formatted(id, suspension.reason()));
    }
    handle.resume(reason).join();
    return await(
        now -> now.suspension().filter(one -> one.number() == suspension.number()).isEmpty(),
        id + " goes on");
  }

  /** Suspends a tenant, a colony or a tree of agents as a whole. */
  public static SignalResult suspend(ScopeSuspensions all, Scope scope, String reason) {
    String what = ScopeSuspension.words(scope);
    if (suspended(all, scope)) {
      return new SignalResult(true, what + " is suspended already");
    }
    all.suspend(scope, reason).join();
    return new SignalResult(
        true,
        "%s is suspended until it is resumed; from %d s on no model call of it begins"
            .formatted(what, ScopeSuspensions.BOUND_SECONDS));
  }

  /** Takes back what suspended a tenant, a colony or a tree of agents as a whole. */
  public static SignalResult resume(ScopeSuspensions all, Scope scope) {
    String what = ScopeSuspension.words(scope);
    if (!suspended(all, scope)) {
      throw CommandFailure.unsuccessful(what + " is not suspended as a whole");
    }
    all.resume(scope).join();
    return new SignalResult(true, what + " goes on");
  }

  private static boolean suspended(ScopeSuspensions all, Scope scope) {
    return all.list(scope.tenant()).join().stream().anyMatch(one -> one.scope().equals(scope));
  }

  /**
   * Says yes or no to something that it asks for.
   *
   * @param request empty for the only thing that it asks for
   */
  public SignalResult answer(Optional<String> request, boolean granted, String by, String note) {
    AgentState state = living().state();
    Optional<AgentView> before = newest(handle);
    String asked = asked(state, before.map(SignalSender::asks).orElseGet(TreeSet::new), request);
    (granted ? handle.approve(asked, by, note) : handle.deny(asked, by, note)).join();
    int budgets = before.map(SignalSender::budgets).orElse(0);
    return await(
        now -> !asks(now).contains(asked) || said(now, asked, granted) || budgets(now) > budgets,
        "%s is %s of %s".formatted(asked, granted ? "approved" : "denied", id));
  }

  private String asked(AgentState state, SortedSet<String> asks, Optional<String> request) {
    if (asks.isEmpty()) {
      throw CommandFailure.unsuccessful("%s asks for nothing: it is %s".formatted(id, state));
    }
    if (request.isEmpty() && asks.size() > 1) {
      throw CommandFailure.badInput(
          "%s asks for several things, name one: %s".formatted(id, String.join(", ", asks)));
    }
    String asked = request.orElseGet(asks::first);
    if (!asks.contains(asked)) {
      throw CommandFailure.unsuccessful(
          "%s does not ask for %s, but for %s".formatted(id, asked, String.join(", ", asks)));
    }
    return asked;
  }

  /** Has it live by another blueprint from its next step on. */
  public SignalResult revise(AgentBlueprint blueprint, String reason) {
    living();
    // One that has just been spawned journals its first event as soon as it starts.
    within(patience, () -> newest(handle).isPresent());
    AgentBlueprint has =
        newest(handle)
            .map(AgentView::blueprint)
            .orElseThrow(() -> CommandFailure.unsuccessful(id + " has journaled nothing"));
    BlueprintChange change = BlueprintChange.to(blueprint);
    AgentBlueprint next;
    try {
      next = change.of(has);
    } catch (IllegalArgumentException unfit) {
      throw CommandFailure.unsuccessful(id + ": " + unfit.getMessage(), unfit);
    }
    if (next.equals(has)) {
      return new SignalResult(id, true, id + " lives by that blueprint already");
    }
    handle.revise(change, reason).join();
    SignalResult told =
        await(
            now -> now.blueprint().equals(next),
            id + " lives by the blueprint from its next step on");
    return told.taken()
        ? told
        : new SignalResult(
            id, false, told.message() + "; the log of its node says why if it cannot");
  }

  /** Tells it that something has happened that it may wait for. Whether it does is not shown. */
  public SignalResult signal(String name, String reason) {
    living();
    handle.signal(name, reason).join();
    return new SignalResult(id, true, "the signal " + name + " is given to " + id);
  }

  /**
   * Ends a run as cancelled.
   *
   * @param run empty for the one under way
   * @param namespace empty to find it
   * @param namespaces where a run was asked for that the agent does not have before it
   */
  public SignalResult cancel(
      Optional<RunId> run,
      Optional<String> namespace,
      Function<RunId, String> namespaces,
      String reason) {
    status();
    List<RunView> queue = newest(handle).map(AgentView::runs).orElse(List.of());
    RunId named =
        run.or(() -> queue.stream().map(RunView::runId).findFirst())
            .orElseThrow(() -> CommandFailure.unsuccessful(id + " has no run under way"));
    String in =
        namespace
            .or(() ->
                queue.stream()
                    .filter(one -> one.runId().equals(named))
                    .map(RunView::namespace)
                    .findFirst())
            .orElseGet(() -> namespaces.apply(named));
    RunOptions options = RunOptions.namespace(in).requestedBy("cli");
    Optional<AgentRun> ended = handle.ended(named, options).join();
    if (ended.isPresent()) {
      throw CommandFailure.unsuccessful(
          "run %s has ended: it is %s".formatted(named, ended.get().status()));
    }
    handle.cancel(named, options, reason).join();
    return await(
        now -> cancelled(now, named) || handle.ended(named, options).join().isPresent(),
        "run " + named + " of " + id + " is cancelled");
  }

  /**
   * Makes another agent that begins with its past.
   *
   * @param at the last event that is inherited; empty for the last one there is
   */
  public SignalResult fork(Optional<Long> at, String name) {
    status();
    long last = newest(handle).map(AgentView::sequenceNr).orElse(0L);
    ForkReply reply = handle.fork(at.orElse(last), name).join();
    if (!(reply instanceof ForkReply.Forked)) {
      throw CommandFailure.unsuccessful(reply.words());
    }
    AgentId fork = new AgentId(id.tenant(), id.colony(), name);
    return new SignalSender(colony, fork, patience).await(now -> true, reply.words());
  }

  /** Has it execute its last run again, from a step on. */
  public SignalResult rewind(RunId run, int step, String reason) {
    living();
    long before = newest(handle).map(AgentView::sequenceNr).orElse(0L);
    int attempt = handle.rewind(run, step, reason).join();
    return await(
        now -> now.sequenceNr() > before,
        "run %s of %s goes on from step %d, in attempt %d".formatted(run, id, step, attempt));
  }

  private SignalResult await(Predicate<AgentView> taken, String done) {
    return within(patience, () -> newest(handle).filter(taken).isPresent())
        ? new SignalResult(id, true, done)
        : new SignalResult(
            id,
            false,
            "%s is told, and has not taken it yet: it is %s".formatted(id, status().state()));
  }

  /** Whether something comes true in time; looks at least once. */
  private static boolean within(Duration patience, BooleanSupplier holds) {
    Deadline deadline = Deadline.in(patience);
    while (!holds.getAsBoolean()) {
      if (deadline.passed()) {
        return false;
      }
      try {
        Thread.sleep(LOOK_AGAIN.toMillis());
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
      }
    }
    return true;
  }

  /** The agent as it stands by its journal; empty before its first event. */
  private static Optional<AgentView> newest(AgentHandle agent) {
    StateAt far = agent.at(FAR_AHEAD).join();
    return switch (far instanceof StateAt.NotYet later ? agent.at(later.last()).join() : far) {
      case StateAt.Known known -> Optional.of(known.agent());
      case StateAt.Unknown unknown -> Optional.empty();
      case StateAt.Missing missing -> throw CommandFailure.unsuccessful(missing.words());
    };
  }

  private AgentStatus status() {
    return handle
        .state()
        .join()
        .orElseThrow(() -> CommandFailure.unsuccessful("there is no agent " + id));
  }

  private AgentStatus living() {
    AgentStatus status = status();
    if (status.state().terminal()) {
      throw CommandFailure.unsuccessful(
          "%s has ended: it is %s%s"
              .formatted(id, status.state(), status.reason().map(why -> ", " + why).orElse("")));
    }
    return status;
  }

  private static SortedSet<String> asks(AgentView agent) {
    return agent.pending().stream()
        .map(PendingApproval::request)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean explicit(SuspensionView suspension) {
    return suspension.cause() == SuspensionCause.EXPLICIT;
  }

  private static boolean explicit(SuspensionView suspension, Optional<ResumptionCondition> until) {
    return explicit(suspension) && suspension.until().equals(until);
  }

  private static boolean said(AgentView agent, String request, boolean granted) {
    return agent
        .openRun()
        .map(run -> run.approvals().get(request))
        .filter(approval -> approval.granted() == granted)
        .isPresent();
  }

  private static int budgets(AgentView agent) {
    return agent.openRun().map(OpenRunView::budgetGrants).orElse(0);
  }

  /** Whether the agent knows that the run is to end. */
  private static boolean cancelled(AgentView agent, RunId run) {
    return agent.runs().stream()
        .anyMatch(one -> one.runId().equals(run) && one.cancelled().isPresent());
  }

  /**
   * What became of a command to an agent.
   *
   * @param agentId empty for one to a whole scope
   * @param taken whether it is known to have taken it; what was given and is not taken yet will be
   * @param message for people, one line
   */
  public record SignalResult(Optional<AgentId> agentId, boolean taken, String message) {

    SignalResult(AgentId agent, boolean taken, String message) {
      this(Optional.of(agent), taken, message);
    }

    SignalResult(boolean taken, String message) {
      this(Optional.empty(), taken, message);
    }
  }
}
