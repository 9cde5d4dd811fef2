package dev.colony.agent.author;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/**
 * What an agent's handlers have made of the events of one iteration.
 *
 * @param contexts of each event that a handler gave a context to, by context key, in the order of
 *     the events
 * @param untaken those of them that no consciousness stream took
 * @param problems what went wrong while they were handled, a line each
 */
public record Received(List<ObjectNode> contexts, List<ObjectNode> untaken, List<String> problems) {

  public static final Received NOTHING = new Received(List.of(), List.of(), List.of());

  public Received {
    contexts = List.copyOf(contexts);
    untaken = List.copyOf(untaken);
    problems = List.copyOf(problems);
  }
}
