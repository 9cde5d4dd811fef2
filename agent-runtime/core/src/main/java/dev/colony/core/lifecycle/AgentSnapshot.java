package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.author.DurableMemory;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent.Revision;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import dev.colony.core.lifecycle.Transitions.Transition;
import java.util.List;
import java.util.Optional;

/**
 * All that an agent is, as its journal tells it; also its snapshot. Small for an agent without
 * work: what is empty is shared.
 *
 * @param blueprint empty before the first event
 * @param revision the last change of the blueprint, if it was changed
 * @param status where it stands in its life
 * @param holder whose claim on it is the last
 * @param home where it lives, once it has moved
 * @param runs its runs
 * @param watches the scopes whose writes wake the agent
 * @param memory what it keeps from run to run
 * @param forkSeed what the first run of a fork begins with, until it does
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonTypeName("agent-snapshot")
public record AgentSnapshot(
    Optional<AgentBlueprint> blueprint,
    Optional<Revision> revision,
    @JsonUnwrapped LifecycleStatus status,
    @JsonUnwrapped Holder holder,
    Optional<Home> home,
    @JsonUnwrapped RunQueue runs,
    List<Watch> watches,
    DurableMemory memory,
    Optional<ForkSeed> forkSeed) {

  public static final AgentSnapshot UNBORN =
      new AgentSnapshot(
          null, null, LifecycleStatus.UNBORN, Holder.NONE, null, RunQueue.NONE, null, null, null);

  public AgentSnapshot {
    // What is empty is left out where it is stored.
    blueprint = blueprint == null ? Optional.empty() : blueprint;
    revision = revision == null ? Optional.empty() : revision;
    home = home == null ? Optional.empty() : home;
    runs = runs.equals(RunQueue.NONE) ? RunQueue.NONE : runs;
    watches = watches == null ? List.of() : List.copyOf(watches);
    memory = memory == null || memory.equals(DurableMemory.EMPTY) ? DurableMemory.EMPTY : memory;
    forkSeed = forkSeed == null ? Optional.empty() : forkSeed;
  }

  /** Where an agent's work stands between two events. */
  public enum Phase {
    /** The journal is empty. */
    UNBORN,
    /** No run is accepted. */
    RESTING,
    /** A step has begun, or may begin. */
    ITERATING,
    /** At least one external action may have started. */
    INTENDED,
    /** The run waits for an event, or for what blocks it. */
    BLOCKED,
    /** The run has ended and its result is to be published. */
    ENDED
  }

  @JsonIgnore
  public Phase phase() {
    if (blueprint.isEmpty()) {
      return Phase.UNBORN;
    }
    if (runs.active().isEmpty()) {
      return Phase.RESTING;
    }
    ActiveRun run = runs.active().get();
    if (run.ended().isPresent()) {
      return Phase.ENDED;
    }
    if (run.acting()) {
      return Phase.INTENDED;
    }
    return run.blocked().isPresent() ? Phase.BLOCKED : Phase.ITERATING;
  }

  public AgentState state() {
    return status.state();
  }

  /** The state that the directory was told last; it is told of the end only. */
  public AgentState announced() {
    return status.announced();
  }

  /** Why it is suspended, unloaded or at its end, one line; empty otherwise. */
  public Optional<String> reason() {
    return status.reason();
  }

  /** Of an agent that is SUSPENDED or UNLOADED, and of no other. */
  public Optional<Suspension> suspension() {
    return status.suspension();
  }

  /** Of the last claim, counted from 1; 0 before it. */
  public long incarnation() {
    return holder.incarnation();
  }

  /** Which made that claim. */
  public String node() {
    return holder.node();
  }

  /** The accepted runs whose results are not published; the first is being executed. */
  public List<QueuedRun> queue() {
    return runs.queue();
  }

  /** How far that first one has come; empty if there is none. */
  public Optional<ActiveRun> active() {
    return runs.active();
  }

  /** The runs published last, the newest at the end. */
  public List<RunId> finished() {
    return runs.finished();
  }

  public boolean outstanding() {
    return left() > 0;
  }

  /** How much is left to do now: see {@link AgentEvent}. */
  int left() {
    return switch (state()) {
      case SUSPENDED, UNLOADED ->
          (moving() ? 1 : 0)
              + (status.unknown() ? 1 : 0)
              + (staysWanted() ? queue().size() : runs.ending())
              + woken();
      case STOPPED, FAILED -> queue().size() + (announced() == state() ? 0 : 1);
      case INITIALIZED, RUNNING, WAITING, LOADED, IDLE ->
          (moving() ? 1 : 0) + queue().size() + unread() + (runs.opened().isPresent() ? 1 : 0);
    };
  }

  /** Whether it is put away by what no condition ends, and goes on by itself after that. */
  private boolean staysWanted() {
    return state() == AgentState.UNLOADED || withinSuspendedScope();
  }

  /** Whether it is suspended because its tenant, its colony or a tree of agents is. */
  @JsonIgnore
  public boolean withinSuspendedScope() {
    return suspension().filter(one -> one.cause() == SuspensionCause.SCOPE).isPresent();
  }

  /** Whether the directory does not know yet where it lives. */
  boolean moving() {
    return home.filter(where -> !where.known()).isPresent();
  }

  /** In how many scopes there are writes that end the suspension. */
  int woken() {
    return suspension().filter(Suspension::events).isPresent() ? unread() : 0;
  }

  /** In how many scopes there are writes that no run was started for. */
  int unread() {
    int unread = 0;
    for (Watch watch : watches) {
      unread += watch.unread() ? 1 : 0;
    }
    return unread;
  }

  /** Whether the run that is executed is wanted no longer, or never can be executed. */
  boolean ending() {
    return state().terminal() || !queue().isEmpty() && queue().getFirst().cancelled().isPresent();
  }

  /** Of an agent that is born. */
  AgentKind kind() {
    return born().kind();
  }

  /** What the agent's blueprint lets a run take. */
  RunBudget budget() {
    return born().budget();
  }

  private AgentBlueprint born() {
    return blueprint.orElseThrow(() -> new IllegalStateException("no agent yet"));
  }

  Optional<Watch> watch(Scope scope) {
    return watches.stream().filter(watch -> watch.scope().equals(scope)).findFirst();
  }

  public AgentSnapshot spawned(AgentBlueprint what) {
    return new AgentSnapshot(
        Optional.of(what), revision, status, holder, home, runs, watches, memory, forkSeed);
  }

  AgentSnapshot revised(AgentBlueprint what, Revision number) {
    return new AgentSnapshot(
        Optional.of(what),
        Optional.of(number),
        status,
        holder,
        home,
        runs,
        watches,
        memory,
        forkSeed);
  }

  AgentSnapshot status(LifecycleStatus next) {
    return new AgentSnapshot(
        blueprint, revision, next, holder, home, runs, watches, memory, forkSeed);
  }

  AgentSnapshot holder(Holder next) {
    return next.equals(holder)
        ? this
        : new AgentSnapshot(
            blueprint, revision, status, next, home, runs, watches, memory, forkSeed);
  }

  AgentSnapshot home(Home next) {
    return new AgentSnapshot(
        blueprint, revision, status, holder, Optional.of(next), runs, watches, memory, forkSeed);
  }

  AgentSnapshot runs(RunQueue next) {
    return new AgentSnapshot(
        blueprint, revision, status, holder, home, next, watches, memory, forkSeed);
  }

  public AgentSnapshot watches(List<Watch> all) {
    return new AgentSnapshot(
        blueprint, revision, status, holder, home, runs, all, memory, forkSeed);
  }

  AgentSnapshot memory(DurableMemory next) {
    return new AgentSnapshot(
        blueprint, revision, status, holder, home, runs, watches, next, forkSeed);
  }

  AgentSnapshot forkSeed(Optional<ForkSeed> next) {
    return new AgentSnapshot(
        blueprint, revision, status, holder, home, runs, watches, memory, next);
  }

  AgentSnapshot active(ActiveRun next) {
    return runs(runs.active(next));
  }

  /** The same with another watch of the scope of this one. */
  AgentSnapshot watch(Watch changed) {
    return watches(
        watches.stream()
            .map(watch -> watch.scope().equals(changed.scope()) ? changed : watch)
            .toList());
  }

  /**
   * The snapshot after a command that the agent's own work implies; itself if the table has none.
   */
  AgentSnapshot moved(LifecycleCommand implied) {
    return Transitions.of(state(), implied, kind()) instanceof Transition.To to
        ? status(status.worked(to.to(active().isPresent())))
        : this;
  }

  /**
   * Whose claim on an agent is the last.
   *
   * @param incarnation counts the claims from 1; 0 before the first
   * @param node which made it
   * @param recoveries claims in a row, this one included, between which the agent has not got on
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Holder(
      long incarnation, String node, @JsonInclude(JsonInclude.Include.NON_DEFAULT) int recoveries) {

    static final Holder NONE = new Holder(0, "", 0);

    public Holder {
      node = node == null ? "" : node;
    }

    /** The same, after the agent has got on. */
    Holder progressed() {
      return recoveries == 0 ? this : new Holder(incarnation, node, 0);
    }
  }

  /**
   * Where an agent lives that has moved.
   *
   * @param unit the placement unit
   * @param known whether the directory has this home, too; nothing else is done before it does
   */
  public record Home(int unit, boolean known) {

    public Home {
      if (unit < 0) {
        throw new IllegalArgumentException("placement units are counted from 0, not: " + unit);
      }
    }
  }

  /**
   * Where an agent stands in its life.
   *
   * @param announced the state that the directory was told last; it is told of the end only
   * @param reason why it is suspended, unloaded or at its end, one line; empty otherwise
   * @param suspension of an agent that is SUSPENDED or UNLOADED, and of no other
   * @param suspensions how many there have been, that one included
   * @param entered whether the suspension is in the index of those that wait
   * @param lastSignal where in its own scope the signal stands that was applied last; see {@link
   *     AgentCommand.Apply}
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record LifecycleStatus(
      AgentState state,
      AgentState announced,
      Optional<String> reason,
      Optional<Suspension> suspension,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) long suspensions,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean entered,
      Optional<Position> lastSignal) {

    static final LifecycleStatus UNBORN =
        new LifecycleStatus(
            AgentState.INITIALIZED, AgentState.INITIALIZED, null, null, 0, false, null);

    public LifecycleStatus {
      reason = reason == null ? Optional.empty() : reason;
      suspension = suspension == null ? Optional.empty() : suspension;
      lastSignal = lastSignal == null ? Optional.empty() : lastSignal;
    }

    /** Whether an agent in this state is put away. */
    static boolean away(AgentState state) {
      return state == AgentState.SUSPENDED || state == AgentState.UNLOADED;
    }

    LifecycleStatus moved(AgentState to, String why, Optional<Suspension> into) {
      boolean keeps = away(to) || to.terminal();
      return new LifecycleStatus(
          to,
          announced,
          Optional.of(why).filter(text -> keeps && !text.isEmpty()),
          into,
          into.map(Suspension::number).orElse(suspensions),
          false,
          lastSignal);
    }

    /** Moved by its own work; why it stands where it does is not touched. */
    LifecycleStatus worked(AgentState to) {
      return new LifecycleStatus(
          to, announced, reason, suspension, suspensions, entered, lastSignal);
    }

    LifecycleStatus announced(AgentState told) {
      return new LifecycleStatus(state, told, reason, suspension, suspensions, entered, lastSignal);
    }

    LifecycleStatus known() {
      return new LifecycleStatus(
          state, announced, reason, suspension, suspensions, true, lastSignal);
    }

    LifecycleStatus lastSignal(Position signal) {
      return new LifecycleStatus(
          state, announced, reason, suspension, suspensions, entered, Optional.of(signal));
    }

    /** Whether the signal there was applied, or a later one. */
    boolean overtakes(Position signal) {
      return lastSignal.filter(last -> signal.compareTo(last) <= 0).isPresent();
    }

    /** Whether the suspension is still to be entered into the index of those that wait. */
    boolean unknown() {
      return !entered && suspension.flatMap(Suspension::until).isPresent();
    }
  }
}
