package dev.colony.core.lifecycle;

import dev.colony.agent.EventBatch;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.Effects.AgentEffect;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What an agent has to do to hear of the writes that it handles: have the blackboard wake it for
 * them, and read what it was woken for.
 *
 * @param patterns as {@link Effects} has them
 * @param policy whether it takes events, as {@link Effects} asks for it
 */
public record EventSubscription(
    Optional<Map<Scope, Set<KeyGlob>>> patterns, Supplier<Optional<Boolean>> policy) {

  EventSubscription withoutEvents() {
    return new EventSubscription(Optional.empty(), policy);
  }

  /** Whether the agent can hear at all, as far as is known here. */
  boolean able() {
    return patterns.isPresent();
  }

  /** Whether the policy takes what is written; empty as long as that is not known. */
  Optional<Boolean> takesEvents(AgentSnapshot state) {
    return state.watches().isEmpty() ? Optional.of(false) : policy.get();
  }

  /** See {@link Effects#watching}. */
  boolean watching(AgentSnapshot state) {
    if (patterns.isEmpty()) {
      return true;
    }
    Map<Scope, Set<KeyGlob>> wanted = wanted(state, patterns.get());
    boolean same = wanted.size() == state.watches().size();
    for (Watch watch : state.watches()) {
      same = same && watch.globs().equals(wanted.get(watch.scope()));
    }
    return same;
  }

  /** Has the blackboard wake the agent for just what it handles, if it does not yet. */
  Optional<AgentEffect> watch(AgentSnapshot state) {
    if (patterns.isEmpty() || watching(state)) {
      return Optional.empty();
    }
    boolean first = state.watches().isEmpty() && state.finished().isEmpty();
    return Optional.of(
        new AgentEffect.WatchScopes(wanted(state, patterns.get()), state.watches(), first));
  }

  /** Reads for a run of its own, where no run is open. */
  Optional<AgentEffect> read(AgentSnapshot state) {
    return read(state, false);
  }

  /**
   * What woke the agent is read between two runs, so that neither runs nor events wait for ever; a
   * policy that takes events gets them between two steps of a run that a caller asked for, and of
   * any that waits. A scope has one batch on the way at most; what comes meanwhile is read after
   * it.
   *
   * @param run the one that is open
   */
  Optional<AgentEffect> read(AgentSnapshot state, ActiveRun run) {
    boolean waits = run.blocked().isPresent();
    boolean asked = EventBatch.of(state.queue().getFirst().request()).isEmpty();
    if (run.betweenSteps() && (waits || asked) && anyUnread(state) && policy.get().orElse(false)) {
      return read(state, true);
    }
    return run.untouched() && !waits ? read(state, false) : Optional.empty();
  }

  private Optional<AgentEffect> read(AgentSnapshot state, boolean intoRun) {
    if (patterns.isEmpty()) {
      return Optional.empty();
    }
    return state.watches().stream()
        .filter(Watch::unread)
        .filter(watch -> !onTheWay(state, watch.scope(), intoRun))
        .findFirst()
        .map(watch -> new AgentEffect.ReadEvents(watch, intoRun));
  }

  private static boolean anyUnread(AgentSnapshot state) {
    return state.unread() > 0;
  }

  private static boolean onTheWay(AgentSnapshot state, Scope scope, boolean intoRun) {
    return intoRun
        ? state.active().orElseThrow().events().stream()
            .anyMatch(batch -> batch.scope().equals(scope))
        : state.queue().stream()
            .flatMap(run -> EventBatch.of(run.request()).stream())
            .anyMatch(batch -> batch.scope().equals(scope));
  }

  /** Nothing wakes an agent that is at its end. */
  private static Map<Scope, Set<KeyGlob>> wanted(
      AgentSnapshot state, Map<Scope, Set<KeyGlob>> handled) {
    return state.state().terminal() ? Map.of() : handled;
  }

  /**
   * A scope whose writes wake the agent, and how far the agent has come in it.
   *
   * @param taken up to here, matching writes are in runs that were accepted
   * @param due the first write that is known to have matched after {@code taken}; without meaning
   *     where none is
   * @param noticed the last write that is known to have matched, up to {@code taken} where none is
   *     known after it
   */
  public record Watch(
      Scope scope, Set<KeyGlob> globs, Position taken, Position due, Position noticed) {

    public Watch {
      globs = Set.copyOf(globs);
      // As a rule they are equal, in each of very many agents.
      due = due.equals(taken) ? taken : due;
      noticed = noticed.equals(due) ? due : noticed;
    }

    /**
     * A scope that has just come to be watched.
     *
     * @param taken writes after it count
     * @param due the first matching one that is there already
     */
    public static Watch begun(
        Scope scope, Set<KeyGlob> globs, Position taken, Optional<Position> due) {
      return new Watch(scope, globs, taken, due.orElse(taken), due.orElse(taken));
    }

    /** The same place in the scope, under other patterns. */
    public Watch globs(Set<KeyGlob> others) {
      return new Watch(scope, others, taken, due, noticed);
    }

    /** Whether writes are known that no run was started for. */
    public boolean unread() {
      return noticed.compareTo(taken) > 0;
    }

    boolean knows(Position position) {
      return position.compareTo(unread() ? noticed : taken) <= 0;
    }

    Watch noticed(Position position) {
      return new Watch(scope, globs, taken, unread() ? due : position, position);
    }

    /**
     * @param next the first write after it that is known, if any
     */
    Watch taken(Position upTo, Optional<Position> next) {
      Position first = next.orElse(noticed);
      return new Watch(scope, globs, upTo, first, first.compareTo(noticed) > 0 ? first : noticed);
    }
  }
}
