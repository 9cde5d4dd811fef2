package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The tools that a prompt offers, and which of them have been called since its request.
 *
 * @param choice whether a tool must be called
 * @param taken calls since the request, with their results, in their order
 */
public record Tools(List<Tool> offered, Choice choice, List<Taken> taken) {

  static final String FAIL = "fail";

  /** What an agent's planner offers beside its actions: by these it ends a run or a turn. */
  private static final Set<String> ENDS = Set.of("complete", "idle", FAIL);

  /** A tool by its name, what it does, and the JSON schema of its arguments. */
  public record Tool(String name, String description, JsonNode parameters) {}

  /** A tool's name and the arguments of one call. */
  public record Call(String name, ObjectNode arguments) {}

  /** A call that was made, and what it gave. */
  public record Taken(Call call, String result) {}

  /** Whether the model calls a tool. */
  public sealed interface Choice {
    /** It must not. */
    record None() implements Choice {}

    /** It may. */
    record Auto() implements Choice {}

    /** It must, whichever. */
    record Required() implements Choice {}

    /** It must call this one. */
    record Named(String tool) implements Choice {}
  }

  public Tools {
    offered = List.copyOf(offered);
    taken = List.copyOf(taken);
  }

  /** Whether these are the tools of an agent's planner. */
  public boolean planning() {
    return ENDS.stream().allMatch(end -> named(end).isPresent());
  }

  Optional<Tool> named(String name) {
    return offered.stream().filter(tool -> tool.name().equals(name)).findFirst();
  }
}
