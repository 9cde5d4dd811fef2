package dev.colony.agent.author;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.stream.Stream;

/**
 * What an agent's handlers have made of the events that no {@link BaseActionPolicy#planStep} has
 * seen: those of an iteration, and those of the iterations before it that only dispatched an action
 * again.
 *
 * @param keys of all events, in their order, be there a handler for them or not
 * @param contexts of each event that a handler gave a context to, by context key, in the order of
 *     the events
 * @param untaken those of them that no consciousness stream took
 * @param problems what went wrong while they were handled, a line each
 */
public record Received(
    List<String> keys, List<ObjectNode> contexts, List<ObjectNode> untaken, List<String> problems) {

  public static final Received NOTHING = new Received(List.of(), List.of(), List.of(), List.of());

  public Received {
    keys = List.copyOf(keys);
    contexts = List.copyOf(contexts);
    untaken = List.copyOf(untaken);
    problems = List.copyOf(problems);
  }

  /**
   * This and what came after it.
   *
   * @param most of each kind; the oldest go first
   */
  public Received and(Received later, int most) {
    return new Received(
        latest(keys, later.keys, most),
        latest(contexts, later.contexts, most),
        latest(untaken, later.untaken, most),
        latest(problems, later.problems, most));
  }

  private static <T> List<T> latest(List<T> before, List<T> later, int most) {
    List<T> all = Stream.concat(before.stream(), later.stream()).toList();
    return all.subList(Math.max(0, all.size() - most), all.size());
  }
}
