package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.step.Mind;
import dev.colony.agent.suspension.Suspension;
import dev.colony.blackboard.Scope;
import java.util.List;
import java.util.Optional;

/**
 * All that an agent is, as its journal tells it; also its snapshot. Small for an agent without
 * work: what is empty is shared.
 *
 * @param blueprint empty before the first event
 * @param standing where it stands in its life
 * @param holder whose claim on it is the last
 * @param home where it lives, once it has moved
 * @param tasks its runs
 * @param watches the scopes whose writes wake the agent
 * @param mind what it keeps from run to run
 * @param inheritance what the first run of a fork begins with, until it does
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonTypeName("agent-snapshot")
public record AgentSnapshot(
    Optional<AgentBlueprint> blueprint,
    @JsonUnwrapped Standing standing,
    @JsonUnwrapped Holder holder,
    Optional<Home> home,
    @JsonUnwrapped Tasks tasks,
    List<Watch> watches,
    Mind mind,
    Optional<Inheritance> inheritance) {

  public static final AgentSnapshot UNBORN =
      new AgentSnapshot(
          Optional.empty(),
          Standing.UNBORN,
          Holder.NOBODY,
          Optional.empty(),
          Tasks.NONE,
          List.of(),
          Mind.EMPTY,
          Optional.empty());

  public AgentSnapshot {
    // What is empty is left out where it is stored.
    blueprint = blueprint == null ? Optional.empty() : blueprint;
    home = home == null ? Optional.empty() : home;
    tasks = tasks.equals(Tasks.NONE) ? Tasks.NONE : tasks;
    watches = watches == null ? List.of() : List.copyOf(watches);
    mind = mind == null || mind.equals(Mind.EMPTY) ? Mind.EMPTY : mind;
    inheritance = inheritance == null ? Optional.empty() : inheritance;
  }

  /** Where an agent's work stands between two events. */
  public enum Phase {
    /** The journal is empty. */
    UNBORN,
    /** No run is accepted. */
    RESTING,
    /** A step has begun, or may begin. */
    ITERATING,
    /** An external action may have started. */
    INTENDED,
    /** The run waits for an event, or for what blocks it. */
    PARKED,
    /** The run has ended and its result is to be published. */
    ENDED
  }

  @JsonIgnore
  public Phase phase() {
    if (blueprint.isEmpty()) {
      return Phase.UNBORN;
    }
    if (tasks.active().isEmpty()) {
      return Phase.RESTING;
    }
    ActiveRun run = tasks.active().get();
    if (run.ended().isPresent()) {
      return Phase.ENDED;
    }
    if (run.intended().isPresent()) {
      return Phase.INTENDED;
    }
    return run.parked().isPresent() ? Phase.PARKED : Phase.ITERATING;
  }

  public AgentState state() {
    return standing.state();
  }

  /** The state that the directory was told last; it is told of the end only. */
  public AgentState announced() {
    return standing.announced();
  }

  /** Why it is suspended, unloaded or at its end, one line; empty otherwise. */
  public Optional<String> reason() {
    return standing.reason();
  }

  /** Of an agent that is SUSPENDED or UNLOADED, and of no other. */
  public Optional<Suspension> suspension() {
    return standing.suspension();
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
    return tasks.queue();
  }

  /** How far that first one has come; empty if there is none. */
  public Optional<ActiveRun> active() {
    return tasks.active();
  }

  /** The runs published last, the newest at the end. */
  public List<RunId> finished() {
    return tasks.finished();
  }

  /** Whether anything is left to do, now. */
  public boolean outstanding() {
    return left() > 0;
  }

  /** How much is left to do now: see {@link AgentEvent}. */
  int left() {
    return switch (state()) {
      case SUSPENDED, UNLOADED ->
          (moving() ? 1 : 0)
              + (standing.unknown() ? 1 : 0)
              + (state() == AgentState.UNLOADED ? queue().size() : tasks.ending())
              + woken();
      case STOPPED, FAILED -> queue().size() + (announced() == state() ? 0 : 1);
      case INITIALIZED, RUNNING, WAITING, LOADED, IDLE ->
          (moving() ? 1 : 0) + queue().size() + unread();
    };
  }

  /** Whether the directory does not know yet where it lives. */
  boolean moving() {
    return home.filter(where -> !where.known()).isPresent();
  }

  /** In how many scopes there are writes that end the suspension. */
  int woken() {
    return suspension().filter(Suspension::events).isPresent() ? unread() : 0;
  }

  private int unread() {
    return (int) watches.stream().filter(Watch::unread).count();
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

  /** The same agent, with its blueprint. */
  public AgentSnapshot spawned(AgentBlueprint what) {
    return new AgentSnapshot(
        Optional.of(what), standing, holder, home, tasks, watches, mind, inheritance);
  }

  AgentSnapshot standing(Standing next) {
    return new AgentSnapshot(blueprint, next, holder, home, tasks, watches, mind, inheritance);
  }

  AgentSnapshot holder(Holder next) {
    return next.equals(holder)
        ? this
        : new AgentSnapshot(blueprint, standing, next, home, tasks, watches, mind, inheritance);
  }

  AgentSnapshot home(Home next) {
    return new AgentSnapshot(
        blueprint, standing, holder, Optional.of(next), tasks, watches, mind, inheritance);
  }

  AgentSnapshot tasks(Tasks next) {
    return new AgentSnapshot(blueprint, standing, holder, home, next, watches, mind, inheritance);
  }

  /** The same with these watches. */
  public AgentSnapshot watches(List<Watch> all) {
    return new AgentSnapshot(blueprint, standing, holder, home, tasks, all, mind, inheritance);
  }

  AgentSnapshot mind(Mind next) {
    return new AgentSnapshot(blueprint, standing, holder, home, tasks, watches, next, inheritance);
  }

  AgentSnapshot inheritance(Optional<Inheritance> next) {
    return new AgentSnapshot(blueprint, standing, holder, home, tasks, watches, mind, next);
  }

  AgentSnapshot active(ActiveRun next) {
    return tasks(tasks.active(next));
  }

  /** The same with another watch of the scope of this one. */
  AgentSnapshot watch(Watch changed) {
    return watches(
        watches.stream()
            .map(watch -> watch.scope().equals(changed.scope()) ? changed : watch)
            .toList());
  }

  /** Moved by its own work, if the table says so; otherwise the same. */
  AgentSnapshot moved(LifecycleCommand implied) {
    return Transitions.of(state(), implied, kind()) instanceof Transition.To to
        ? standing(standing.worked(to.to(active().isPresent())))
        : this;
  }
}
