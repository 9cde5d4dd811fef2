package dev.colony.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Visits every state that a system can come to within so many moments, breadth first, each state
 * once, and holds it against invariants. What the system is and what may happen to it next is the
 * test's: pure code, whose states have value equality. Not thread-safe.
 *
 * <pre>{@code
 * Explorer.of(Door.CLOSED, Door::next)
 *     .invariant("it is never open and locked", door -> assertFalse(door.open() && door.locked()))
 *     .explore(12);
 * }</pre>
 *
 * @param <S> the states
 */
public final class Explorer<S> {

  private final S beginning;
  private final Function<? super S, ? extends Collection<? extends S>> successors;
  private final Map<String, Consumer<? super S>> invariants = new LinkedHashMap<>();

  private Explorer(S beginning, Function<? super S, ? extends Collection<? extends S>> successors) {
    this.beginning = beginning;
    this.successors = successors;
  }

  /**
   * A system.
   *
   * @param successors what a state may become in one moment; none for one that stays
   */
  public static <S> Explorer<S> of(
      S beginning, Function<? super S, ? extends Collection<? extends S>> successors) {
    return new Explorer<>(beginning, successors);
  }

  /**
   * Adds what holds in every state.
   *
   * @param name says it, in failures
   * @param check throws an {@link AssertionError} or another exception where it does not hold
   */
  public Explorer<S> invariant(String name, Consumer<? super S> check) {
    invariants.put(name, check);
    return this;
  }

  /**
   * What was explored.
   *
   * @param states that were visited, each once
   * @param transitions that were made, also to states that were known
   */
  public record Result(long states, long transitions) {}

  /**
   * Explores.
   *
   * @param depth moments from the beginning
   * @throws AssertionError where an invariant does not hold, or the successors of a state cannot be
   *     told: with its name, and every state on a shortest way there
   */
  public Result explore(int depth) {
    Map<S, S> before = new HashMap<>();
    before.put(beginning, null);
    check(beginning, before);
    List<S> level = List.of(beginning);
    long transitions = 0;
    for (int moment = 0; moment < depth && !level.isEmpty(); moment++) {
      List<S> next = new ArrayList<>();
      for (S state : level) {
        for (S after : successors(state, before)) {
          transitions++;
          if (!before.containsKey(after)) {
            before.put(after, state);
            check(after, before);
            next.add(after);
          }
        }
      }
      level = next;
    }
    return new Result(before.size(), transitions);
  }

  private Collection<? extends S> successors(S state, Map<S, S> before) {
    try {
      return successors.apply(state);
    } catch (RuntimeException | AssertionError failure) {
      throw broken("what follows can be told", state, before, failure);
    }
  }

  private void check(S state, Map<S, S> before) {
    invariants.forEach((name, invariant) -> {
      try {
        invariant.accept(state);
      } catch (RuntimeException | AssertionError failure) {
        throw broken(name, state, before, failure);
      }
    });
  }

  private AssertionError broken(String name, S state, Map<S, S> before, Throwable failure) {
    List<S> way = new ArrayList<>();
    for (S one = state; one != null; one = before.get(one)) {
      way.addFirst(one);
    }
    StringBuilder message =
        new StringBuilder()
            .append("this does not hold after ")
            .append(way.size() - 1)
            .append(" moments: ")
            .append(name)
            .append("\n")
            .append(failure.getMessage())
            .append("\nthe way there:");
    way.forEach(one -> message.append("\n  ").append(one));
    return new AssertionError(message.toString(), failure);
  }
}
