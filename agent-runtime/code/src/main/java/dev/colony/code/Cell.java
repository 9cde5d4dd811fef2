package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonValues;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A cell as it is executed: all that decides what it does but for what its calls give.
 *
 * @param source JavaScript, the body of an async function
 * @param seed of its random numbers
 * @param time that its clock shows first
 * @param functions the actions that it may call
 * @param variables that it sees, by their names
 */
record Cell(
    String source, int seed, Instant time, Functions functions, Map<String, JsonNode> variables) {

  /** What is called. On the thread of {@link Sandbox#execute}. */
  interface Calls {

    /**
     * Has a call done.
     *
     * @param number in the cell, from 1
     * @param key of an action that is among the cell's functions
     * @param params an object
     */
    Reply call(int number, String key, JsonNode params) throws Exception;
  }

  sealed interface Reply {

    record Value(JsonNode output) implements Reply {}

    /**
     * The function throws in the cell.
     *
     * @param status in lower case, for example {@code refused}
     */
    record Thrown(String status, String message) implements Reply {}

    /** The cell ends here, whatever it would do; its caller knows why. */
    record Stop() implements Reply {}
  }

  /** Actions that a cell calls; further calls fail in the cell. */
  static final int MOST_CALLS = 50;

  /** Characters of what a cell prints that the model is shown. */
  static final int OUTPUT_CHARS = 8_000;

  /** The size of all variables of a run together, in bytes of JSON. */
  static final int VARIABLES_BYTES = 256 * 1024;

  /** The largest variable that is kept, in bytes of JSON: larger ones belong to the blackboard. */
  static final int VARIABLE_BYTES = 64 * 1024;

  /** No variable of more letters is kept. */
  static final int NAME_CHARS = 64;

  /** Names that are looked for among a cell's variables, at most. */
  private static final int MOST_NAMES = 2_000;

  private static final Pattern NAME =
      Pattern.compile("(?<![.\\w$])[A-Za-z_][A-Za-z0-9_]{0," + (NAME_CHARS - 1) + "}(?![\\w$])");

  private static final Set<String> RESERVED =
      Set.of(
          """
          arguments async await break case catch class const continue debugger default delete do
          else enum eval export extends false finally for function if implements import in
          instanceof interface let new null package private protected public return static super
          switch this throw true try typeof undefined var void while with yield NaN Infinity
          globalThis __proto__
          """
              .strip()
              .split("\\s+"));

  /** The names that may be those of its variables. */
  Set<String> identifiers() {
    Set<String> names = new LinkedHashSet<>();
    Matcher matcher = NAME.matcher(source);
    while (names.size() < MOST_NAMES && matcher.find()) {
      if (!RESERVED.contains(matcher.group())) {
        names.add(matcher.group());
      }
    }
    return names;
  }

  static boolean named(String name) {
    return NAME.matcher(name).matches() && !RESERVED.contains(name);
  }

  /** What {@code cell.js} is given. */
  String setup() {
    ObjectNode setup = JsonNodeFactory.instance.objectNode();
    setup.put("source", source).put("seed", seed).put("outputChars", OUTPUT_CHARS);
    setup.set("identifiers", JsonValues.toJson(identifiers()));
    setup.set("variables", JsonValues.toJson(variables.keySet()));
    setup.set("groups", functions.keys());
    return setup.toString();
  }

  /**
   * What a cell has come to.
   *
   * @param printed at most {@link #OUTPUT_CHARS}
   * @param more whether it has printed more than that
   * @param error on one line with its line number; empty for a cell that has ended well
   * @param changed the variables that it has made, changed or, where empty, removed; none of a cell
   *     that did not come to its end by itself
   * @param unkept the variables that cannot be kept, each with the reason
   * @param completed the result with which it has ended the run
   * @param calls how many it has made
   * @param stopped whether one of them has ended it
   */
  record CellOutcome(
      String printed,
      boolean more,
      Optional<String> error,
      Map<String, Optional<JsonNode>> changed,
      List<String> unkept,
      Optional<JsonNode> completed,
      int calls,
      boolean stopped) {}
}
