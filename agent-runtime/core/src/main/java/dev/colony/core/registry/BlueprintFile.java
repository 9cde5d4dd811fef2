package dev.colony.core.registry;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.schema.LocatedJson;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * An agent as a person describes it in a file: the JSON form of {@link AgentBlueprint}, with
 * comments, and
 *
 * <ul>
 *   <li>{@code name}, that of the agent within its colony;
 *   <li>{@code role}, {@code goals} and {@code constraints}, which are arguments of the policy; one
 *       goal or constraint may stand as text;
 *   <li>for a type without arguments just its name, which may be its last part where no other type
 *       that fits ends so: {@code "policy": "minimal"}.
 * </ul>
 *
 * <p>A version that is left out is the one that is registered here, and arguments that are left out
 * are as the constant {@code DEFAULT} of their record has them, if it has one.
 *
 * @param name empty where the file names no agent
 * @param blueprint checked against the registered types: a node would build it
 */
public record BlueprintFile(Optional<String> name, AgentBlueprint blueprint) {

  /**
   * Bytes of a file, at most: four times those of a blueprint, so that there is room to comment.
   */
  public static final int MAX_BYTES = 4 * AgentBlueprint.MAX_BYTES;

  /** What became of reading a file. */
  public sealed interface Reading permits Read, Refused {}

  /** It describes an agent. */
  public record Read(BlueprintFile file) implements Reading {}

  /**
   * It does not.
   *
   * @param problems all that were found, at least one, in the order of their places
   */
  public record Refused(List<Problem> problems) implements Reading {

    public Refused {
      problems =
          problems.stream()
              .distinct()
              .sorted(
                  Comparator.comparingInt(Problem::line)
                      .thenComparingInt(Problem::column)
                      .thenComparing(Problem::message))
              .toList();
    }
  }

  /**
   * Something to mend.
   *
   * @param line counted from 1, as is the column
   * @param message one line: what is wrong, and what would be right
   */
  public record Problem(int line, int column, String message) {

    static Problem at(LocatedJson.Place place, String message) {
      return new Problem(place.line(), place.column(), message);
    }

    /** As compilers have it: {@code 12:5: what is wrong}. */
    @Override
    public String toString() {
      return "%d:%d: %s".formatted(line, column, message);
    }
  }

  public BlueprintFile {
    name.ifPresent(BlueprintFile::checkName);
  }

  /**
   * Reads the text of a file. Nothing is instantiated but the records of arguments.
   *
   * @param types that the nodes have, too
   */
  public static Reading read(String text, AgentTypes types) {
    int size = text.getBytes(StandardCharsets.UTF_8).length;
    if (size > MAX_BYTES) {
      return refused(
          LocatedJson.Place.BEGINNING,
          "it has %,d bytes, more than %,d".formatted(size, MAX_BYTES));
    }
    try {
      return new BlueprintFileReader(LocatedJson.parse(text), types).read();
    } catch (LocatedJson.Malformed wrong) {
      return refused(wrong.place(), "this is no JSON: " + wrong.getMessage());
    }
  }

  static void checkName(String name) {
    new AgentId("any", "any", name);
  }

  private static Reading refused(LocatedJson.Place place, String why) {
    return new Refused(List.of(Problem.at(place, why)));
  }
}
