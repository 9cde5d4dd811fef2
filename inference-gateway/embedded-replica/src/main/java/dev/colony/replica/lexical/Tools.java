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

  public static final Tools NONE = new Tools(List.of(), new Choice.None(), List.of());

  static final String COMPLETE = "complete";
  static final String IDLE = "idle";
  static final String FAIL = "fail";

  /** Takes an action that the system message lists. */
  static final String TAKE = "take";

  /** Plans actions that the system message lists. */
  static final String PLAN = "plan";

  static final String GO_ON = "go_on";
  static final String ESCALATE = "escalate";
  static final String SHOW = "show_actions";

  /** Executes a cell of code that calls the functions of the system message. */
  static final String RUN_CELL = "run_cell";

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

  /** Whether these are the tools of an agent's planner, which ends a run or a turn by a call. */
  public boolean planning() {
    return named(COMPLETE).isPresent() && named(IDLE).isPresent() && named(FAIL).isPresent();
  }

  /** Whether a planner writes cells of code. */
  public boolean coding() {
    return planning() && named(RUN_CELL).isPresent();
  }

  /** Without those that end a run or a turn. */
  Tools actions() {
    Set<String> ends = Set.of(COMPLETE, IDLE, FAIL);
    return new Tools(
        offered.stream().filter(tool -> !ends.contains(tool.name())).toList(), choice, taken);
  }

  Optional<Tool> named(String name) {
    return offered.stream().filter(tool -> tool.name().equals(name)).findFirst();
  }
}
