package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.BlueprintChange;
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

  /** What became of reading the change of a blueprint. */
  public sealed interface ChangeReading permits Changed, Refused {}

  /** It describes an agent. */
  public record Read(BlueprintFile file) implements Reading {}

  /** It describes how an agent changes. */
  public record Changed(BlueprintChange change) implements ChangeReading {}

  /**
   * It does not.
   *
   * @param problems all that were found, at least one, in the order of their places
   */
  public record Refused(List<Problem> problems) implements Reading, ChangeReading {

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
   * @param path of the field, as in {@code capabilities[0].type}; empty for the whole
   * @param message one line: what is wrong, and what would be right
   */
  public record Problem(int line, int column, String path, String message) {

    static Problem at(LocatedJson.Place place, String path, String message) {
      return new Problem(place.line(), place.column(), path, message);
    }

    /** Of a blueprint that is looked at as a whole, where lines mean nothing. */
    public static Problem of(String path, String message) {
      return new Problem(1, 1, path, message);
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

  /**
   * Reads a blueprint that a program has sent: in the form that is stored, without the ease for
   * people, but with the same defaults and checks. Its problems have paths; their lines mean
   * nothing.
   *
   * @param types that the nodes have, too
   */
  public static Reading blueprint(JsonNode json, AgentTypes types) {
    try {
      return reader(json, types).blueprint();
    } catch (LocatedJson.Malformed wrong) {
      return unreadable(wrong);
    }
  }

  /**
   * The same of the change of a blueprint.
   *
   * @param types that the nodes have, too
   */
  public static ChangeReading change(JsonNode json, AgentTypes types) {
    try {
      return reader(json, types).change();
    } catch (LocatedJson.Malformed wrong) {
      return unreadable(wrong);
    }
  }

  private static BlueprintFileReader reader(JsonNode json, AgentTypes types) {
    return new BlueprintFileReader(LocatedJson.parse(json.toString()), types);
  }

  private static Refused unreadable(LocatedJson.Malformed wrong) {
    return refused(LocatedJson.Place.BEGINNING, "this cannot be read: " + wrong.getMessage());
  }

  static void checkName(String name) {
    new AgentId("any", "any", name);
  }

  private static Refused refused(LocatedJson.Place place, String why) {
    return new Refused(List.of(Problem.at(place, "", why)));
  }
}
