package dev.colony.cli.agents;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentStatus;
import dev.colony.agent.client.Colony;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.suspension.SuspensionCause;
import dev.colony.agent.view.AgentView;
import dev.colony.agent.view.ForkReply;
import dev.colony.agent.view.OpenRunView;
import dev.colony.agent.view.PendingApproval;
import dev.colony.agent.view.RunView;
import dev.colony.agent.view.StateAt;
import dev.colony.agent.view.SuspensionView;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.server.agents.AgentsReader;
import dev.colony.server.agents.ShownAgent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Tells agents something and waits until their journals say that they have taken it. What makes no
 * difference as they stand is refused with {@link CommandFailure} before anything is told. Its
 * methods block.
 */
public final class SignalSender {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

  /** No journal comes so far; asked for, it tells how far it has come. */
  private static final long FAR_AHEAD = 1L << 52;

  private final AgentsReader view;
  private final Colony colony;
  private final Duration patience;

  /**
   * @param patience how long to wait for an agent to take what it was told
   */
  public SignalSender(AgentsReader view, Colony colony, Duration patience) {
    this.view = view;
    this.colony = colony;
    this.patience = patience;
  }

  /** The cluster time. */
  public Instant now() {
    return view.now();
  }

  /** Has it put its state away, until a condition holds, if there is one, or it is resumed. */
  public SignalResult suspend(AgentId id, String reason, Optional<ResumptionCondition> until) {
    ShownAgent agent = living(id);
    if (agent.suspension().filter(one -> explicit(one, until)).isPresent()) {
      return new SignalResult(id, true, id + " is suspended already");
    }
    long before = suspensions(agent);
    join(
        until
            .map(condition -> handle(id).suspend(reason, condition))
            .orElseGet(() -> handle(id).suspend(reason)));
    return await(
        id,
        now ->
            suspensions(now) > before && now.suspension().stream().allMatch(SignalSender::explicit),
        id + " is suspended until " + until.map(ConditionText::of).orElse("it is resumed"));
  }

  /** Has it go on. */
  public SignalResult resume(AgentId id, String reason) {
    ShownAgent agent = living(id);
    SuspensionView suspension =
        agent
            .suspension()
            .orElseThrow(() -> unsuccessful(id + " is not suspended: it is " + agent.state()));
    if (suspension.cause() == SuspensionCause.PAGES) {
      throw unsuccessful(id + " goes on by itself when its pages are in a cache again");
    }
    join(handle(id).resume(reason));
    return await(
        id,
        now -> now.suspension().filter(one -> one.number() == suspension.number()).isEmpty(),
        id + " goes on");
  }

  /**
   * Says yes or no to something that it asks for.
   *
   * @param request empty for the only thing that it asks for
   */
  public SignalResult answer(
      AgentId id, Optional<String> request, boolean granted, String by, String note) {
    ShownAgent agent = living(id);
    String asked = asked(id, agent.state(), agent.asks(), request);
    AgentHandle handle = handle(id);
    join(granted ? handle.approve(asked, by, note) : handle.deny(asked, by, note));
    int budgets = budgets(agent);
    return await(
        id,
        now -> !now.asks().contains(asked) || said(now, asked, granted) || budgets(now) > budgets,
        answered(id, asked, granted));
  }

  /** The same of an agent whose journal is out of reach: what it asks for is told by its handle. */
  public static SignalResult answer(
      AgentHandle handle,
      Duration patience,
      Optional<String> request,
      boolean granted,
      String by,
      String note) {
    AgentId id = handle.id();
    AgentState state = living(handle).state();
    String asked = asked(id, state, asks(handle), request);
    join(granted ? handle.approve(asked, by, note) : handle.deny(asked, by, note));
    boolean taken = within(patience, () -> !asks(handle).contains(asked));
    return taken
        ? new SignalResult(id, true, answered(id, asked, granted))
        : new SignalResult(id, false, notTaken(id, living(handle).state()));
  }

  /** Has it live by another blueprint from its next step on. */
  public static SignalResult revise(
      AgentHandle handle, Duration patience, AgentBlueprint blueprint, String reason) {
    AgentId id = handle.id();
    living(handle);
    // One that has just been spawned journals its first event as soon as it starts.
    within(patience, () -> !(join(handle.at(FAR_AHEAD)) instanceof StateAt.Unknown));
    AgentView before = newest(handle);
    BlueprintChange change = BlueprintChange.to(blueprint);
    AgentBlueprint next;
    try {
      next = change.of(before.blueprint());
    } catch (IllegalArgumentException unfit) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, id + ": " + unfit.getMessage(), unfit);
    }
    if (next.equals(before.blueprint())) {
      return new SignalResult(id, true, id + " lives by that blueprint already");
    }
    join(handle.revise(change, reason));
    boolean taken = within(patience, () -> newest(handle).blueprint().equals(next));
    return new SignalResult(
        id,
        taken,
        taken
            ? id + " lives by the blueprint from its next step on"
            : notTaken(id, living(handle).state()) + "; the log of its node says why if it cannot");
  }

  /** The agent as it stands by its journal. */
  private static AgentView newest(AgentHandle handle) {
    return switch (join(handle.at(FAR_AHEAD))) {
      case StateAt.Known known -> known.agent();
      case StateAt.NotYet later when join(handle.at(later.last())) instanceof StateAt.Known known ->
          known.agent();
      case StateAt.Missing missing -> throw unsuccessful(missing.words());
    };
  }

  private static AgentStatus living(AgentHandle handle) {
    AgentStatus status =
        join(handle.state()).orElseThrow(() -> unsuccessful("there is no agent " + handle.id()));
    if (status.state().terminal()) {
      throw unsuccessful("%s has ended: it is %s".formatted(handle.id(), status.state()));
    }
    return status;
  }

  private static SortedSet<String> asks(AgentHandle handle) {
    return join(handle.pending()).stream()
        .map(PendingApproval::request)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String asked(
      AgentId id, AgentState state, SortedSet<String> asks, Optional<String> request) {
    if (asks.isEmpty()) {
      throw unsuccessful("%s asks for nothing: it is %s".formatted(id, state));
    }
    if (request.isEmpty() && asks.size() > 1) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "%s asks for several things, name one: %s".formatted(id, String.join(", ", asks)));
    }
    String asked = request.orElseGet(asks::first);
    if (!asks.contains(asked)) {
      throw unsuccessful(
          "%s does not ask for %s, but for %s".formatted(id, asked, String.join(", ", asks)));
    }
    return asked;
  }

  private static String answered(AgentId id, String asked, boolean granted) {
    return "%s is %s of %s".formatted(asked, granted ? "approved" : "denied", id);
  }

  private static String notTaken(AgentId id, AgentState state) {
    return "%s is told, and has not taken it yet: it is %s".formatted(id, state);
  }

  /** Tells it that something has happened that it may wait for. Whether it does is not shown. */
  public SignalResult signal(AgentId id, String name, String reason) {
    living(id);
    join(handle(id).signal(name, reason));
    return new SignalResult(id, true, "the signal " + name + " is given to " + id);
  }

  /**
   * Ends a run as cancelled.
   *
   * @param run empty for the one under way
   * @param namespace empty to find it
   */
  public SignalResult cancel(
      AgentId id, Optional<RunId> run, Optional<String> namespace, String reason) {
    ShownAgent agent = view.find(id);
    List<RunView> queue = agent.journal().map(AgentView::runs).orElse(List.of());
    RunId named =
        run.or(() -> queue.stream().map(RunView::runId).findFirst())
            .orElseThrow(() -> unsuccessful(id + " has no run under way"));
    String in =
        namespace
            .or(() ->
                queue.stream()
                    .filter(one -> one.runId().equals(named))
                    .map(RunView::namespace)
                    .findFirst())
            .orElseGet(() -> view.namespace(id, named));
    RunOptions options = RunOptions.namespace(in).requestedBy("cli");
    Optional<AgentRun> ended = join(handle(id).ended(named, options));
    if (ended.isPresent()) {
      throw unsuccessful("run %s has ended: it is %s".formatted(named, ended.get().status()));
    }
    join(handle(id).cancel(named, options, reason));
    return await(
        id,
        now -> cancelled(now, named) || join(handle(id).ended(named, options)).isPresent(),
        "run " + named + " of " + id + " is cancelled");
  }

  /**
   * Makes another agent that begins with its past.
   *
   * @param at the last event that is inherited; empty for the last one there is
   */
  public SignalResult fork(AgentId id, Optional<Long> at, String name) {
    long last = view.find(id).journal().map(AgentView::sequenceNr).orElse(0L);
    AgentId fork = new AgentId(id.tenant(), id.colony(), name);
    ForkReply reply = join(handle(id).fork(at.orElse(last), name));
    if (!(reply instanceof ForkReply.Forked)) {
      throw unsuccessful(reply.words());
    }
    return await(fork, now -> now.journal().isPresent(), reply.words());
  }

  private SignalResult await(AgentId id, Predicate<ShownAgent> taken, String done) {
    return within(patience, () -> taken.test(view.find(id)))
        ? new SignalResult(id, true, done)
        : new SignalResult(id, false, notTaken(id, view.find(id).state()));
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

  private ShownAgent living(AgentId id) {
    ShownAgent agent = view.find(id);
    if (agent.state().terminal()) {
      throw unsuccessful(
          "%s has ended: it is %s%s"
              .formatted(id, agent.state(), agent.reason().map(why -> ", " + why).orElse("")));
    }
    return agent;
  }

  private static boolean explicit(SuspensionView suspension) {
    return suspension.cause() == SuspensionCause.EXPLICIT;
  }

  private static boolean explicit(SuspensionView suspension, Optional<ResumptionCondition> until) {
    return explicit(suspension) && suspension.until().equals(until);
  }

  private static long suspensions(ShownAgent agent) {
    return agent.journal().map(AgentView::suspensions).orElse(0L);
  }

  private static boolean said(ShownAgent agent, String request, boolean granted) {
    return open(agent)
        .map(run -> run.approvals().get(request))
        .filter(approval -> approval.granted() == granted)
        .isPresent();
  }

  private static int budgets(ShownAgent agent) {
    return open(agent).map(OpenRunView::budgetGrants).orElse(0);
  }

  private static Optional<OpenRunView> open(ShownAgent agent) {
    return agent.journal().flatMap(AgentView::openRun);
  }

  /** Whether the agent knows that the run is to end. */
  private static boolean cancelled(ShownAgent agent, RunId run) {
    return agent.journal().stream()
        .flatMap(known -> known.runs().stream())
        .anyMatch(one -> one.runId().equals(run) && one.cancelled().isPresent());
  }

  private static CommandFailure unsuccessful(String why) {
    return new CommandFailure(ExitCode.UNSUCCESSFUL, why);
  }

  private AgentHandle handle(AgentId id) {
    return colony.agent(id);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
