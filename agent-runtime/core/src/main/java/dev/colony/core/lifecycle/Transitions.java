package dev.colony.core.lifecycle;

import static dev.colony.agent.AgentState.FAILED;
import static dev.colony.agent.AgentState.IDLE;
import static dev.colony.agent.AgentState.INITIALIZED;
import static dev.colony.agent.AgentState.LOADED;
import static dev.colony.agent.AgentState.RUNNING;
import static dev.colony.agent.AgentState.STOPPED;
import static dev.colony.agent.AgentState.SUSPENDED;
import static dev.colony.agent.AgentState.UNLOADED;
import static dev.colony.agent.AgentState.WAITING;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentState;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The one table of an agent's life: where each command leads from each state, for agents that are
 * bound to pages and for all others. Whatever it does not list is refused with a reason.
 *
 * <p>Source: the seed's lifecycle and agent types; a table rather than conditions in code, as
 * Temporal's state machines have it.
 */
public final class Transitions {

  private static final Transitions BOUND = new Transitions(LOADED, EnumSet.of(IDLE));
  private static final Transitions OTHERS = new Transitions(IDLE, EnumSet.of(LOADED, UNLOADED));

  static {
    BOUND.add(LOADED, LifecycleCommand.PAGES_EVICTED, UNLOADED);
    BOUND.add(RUNNING, LifecycleCommand.PAGES_EVICTED, SUSPENDED);
    BOUND.add(WAITING, LifecycleCommand.PAGES_EVICTED, SUSPENDED);
    BOUND.add(UNLOADED, LifecycleCommand.PAGES_AVAILABLE, LOADED, RUNNING);
    BOUND.add(SUSPENDED, LifecycleCommand.PAGES_AVAILABLE, LOADED, RUNNING);
    BOUND.add(UNLOADED, LifecycleCommand.SUSPEND, SUSPENDED);
    BOUND.end(UNLOADED);
  }

  private final Set<AgentState> never;
  private final Map<AgentState, Map<LifecycleCommand, Transition.To>> table =
      new EnumMap<>(AgentState.class);

  /**
   * What all agents have in common.
   *
   * @param rest where one is that has nothing to do
   * @param never where none of these agents ever is
   */
  private Transitions(AgentState rest, Set<AgentState> never) {
    this.never = never;
    add(INITIALIZED, LifecycleCommand.START, rest, RUNNING);
    add(rest, LifecycleCommand.BEGIN_WORK, RUNNING);
    add(RUNNING, LifecycleCommand.BLOCK, WAITING);
    add(WAITING, LifecycleCommand.UNBLOCK, RUNNING);
    add(RUNNING, LifecycleCommand.FINISH_WORK, rest);
    add(SUSPENDED, LifecycleCommand.RESUME, rest, RUNNING);
    for (AgentState state : EnumSet.of(INITIALIZED, rest, RUNNING, WAITING)) {
      add(state, LifecycleCommand.SUSPEND, SUSPENDED);
      end(state);
    }
    // One suspension takes the place of another.
    add(SUSPENDED, LifecycleCommand.SUSPEND, SUSPENDED);
    end(SUSPENDED);
  }

  /** What becomes of a command. */
  public static Transition of(AgentState state, LifecycleCommand command, AgentKind kind) {
    return of(kind).look(state, command, kind);
  }

  /** The table of a kind of agent. */
  static Transitions of(AgentKind kind) {
    return kind == AgentKind.VCM_BOUND ? BOUND : OTHERS;
  }

  /** What it carries out; anything else is refused. */
  Map<AgentState, Map<LifecycleCommand, Transition.To>> rows() {
    return table;
  }

  private Transition look(AgentState state, LifecycleCommand command, AgentKind kind) {
    Transition.To to = table.getOrDefault(state, Map.of()).get(command);
    return to == null ? new Transition.Refused(why(state, command, kind)) : to;
  }

  private String why(AgentState state, LifecycleCommand command, AgentKind kind) {
    if (never.contains(state)) {
      return "an agent that is " + kind + " is never " + state;
    }
    if (state.terminal()) {
      return "the agent is " + state + " for good";
    }
    return switch (command) {
      case START -> "the agent has started";
      case BEGIN_WORK ->
          state == RUNNING || state == WAITING
              ? "the agent has begun its work"
              : "work waits while the agent is " + state;
      case BLOCK, FINISH_WORK -> "the agent does no work: it is " + state;
      case UNBLOCK -> "the agent waits for nothing: it is " + state;
      case PAGES_AVAILABLE, PAGES_EVICTED ->
          kind == AgentKind.VCM_BOUND
              ? "it makes no difference to an agent that is " + state
              : "an agent that is " + kind + " is not bound to pages";
      case SUSPEND -> "the agent is suspended";
      case RESUME ->
          state == UNLOADED
              ? "the agent goes on when its pages are available"
              : "the agent is not suspended: it is " + state;
      case STOP, FAIL -> throw new IllegalStateException(state + " has no way to its end");
    };
  }

  private void end(AgentState state) {
    add(state, LifecycleCommand.STOP, STOPPED);
    add(state, LifecycleCommand.FAIL, FAILED);
  }

  private void add(AgentState from, LifecycleCommand command, AgentState to) {
    add(from, command, to, to);
  }

  private void add(
      AgentState from, LifecycleCommand command, AgentState resting, AgentState working) {
    table
        .computeIfAbsent(from, state -> new EnumMap<>(LifecycleCommand.class))
        .put(command, new Transition.To(resting, working));
  }

  /** What the table says about a command in a state. */
  public sealed interface Transition {

    /**
     * It is carried out.
     *
     * @param resting where it leads an agent without work
     * @param working where it leads one with work
     */
    record To(AgentState resting, AgentState working) implements Transition {

      AgentState to(boolean work) {
        return work ? working : resting;
      }
    }

    /** It is not; the reason is one line for people. */
    record Refused(String reason) implements Transition {}
  }
}
