package dev.colony.core.registry;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.author.LocatedJson;
import dev.colony.blackboard.value.Text;
import dev.colony.core.registry.BlueprintFile.Problem;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

public final class FileProblems {

  private static final int SHOWN = 80;

  private final LocatedJson source;
  private final List<Problem> found = new ArrayList<>();

  FileProblems(LocatedJson source) {
    this.source = source;
  }

  List<Problem> found() {
    return List.copyOf(found);
  }

  int count() {
    return found.size();
  }

  /** Runs a check; what it refuses is wrong at that place. */
  void attempt(JsonPointer at, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException | AgentException refused) {
      wrong(at, refused.getMessage());
    }
  }

  void unknown(JsonPointer at, String what, String name, Collection<String> known) {
    wrongName(at, what + shown(name) + separated(CloseName.of(name, known), "it has " + known));
  }

  static String separated(String question, String known) {
    return question.isEmpty() ? "; " + known : question + " " + known;
  }

  void wrong(JsonPointer at, String why) {
    found.add(Problem.at(source.place(at), path(at), why));
  }

  /** What is wrong is that there is such a field. */
  void wrongName(JsonPointer at, String why) {
    found.add(Problem.at(source.nameOf(at), path(at), why));
  }

  /** As programs write it: {@code capabilities[0].args}. */
  private String path(JsonPointer field) {
    StringBuilder path = new StringBuilder();
    JsonNode holder = source.json();
    for (JsonPointer at = field; !at.matches(); at = at.tail()) {
      String name = at.getMatchingProperty();
      if (holder.isArray()) {
        path.append('[').append(name).append(']');
        holder = holder.path(at.getMatchingIndex());
      } else {
        path.append(path.isEmpty() ? "" : ".").append(name);
        holder = holder.path(name);
      }
    }
    return path.toString();
  }

  static String shown(JsonNode json) {
    return json.isContainerNode()
        ? (json.isArray() ? "a list" : "an object")
        : shown(json.asText());
  }

  static String shown(String text) {
    return Text.line(text, SHOWN);
  }

  /** Finds the name that a person, or a model, may have meant. */
  public static final class CloseName {

    private CloseName() {}

    /**
     * Asks for the known name that differs least, by its whole or its last part; empty where all
     * differ in more than about a third of the letters.
     */
    public static String of(String name, Collection<String> known) {
      return among(name, known).map(closest -> ": did you mean " + closest + "?").orElse("");
    }

    /** Asks for the known name that differs in nothing but how its parts are joined. */
    public static String joined(String name, Collection<String> known) {
      return known.stream()
          .filter(one -> alike(one, name))
          .findFirst()
          .map(one -> ": did you mean " + one + "?")
          .orElse("");
    }

    /**
     * Whether two names of actions differ in nothing but how their parts are joined: the tool of
     * {@code desk.count} is {@code desk_count}.
     */
    public static boolean alike(String one, String other) {
      return one.length() == other.length() && plain(one).equals(plain(other));
    }

    private static String plain(String name) {
      return name.replaceAll("[^A-Za-z0-9_-]", "_");
    }

    /** The known name that differs least, as {@link #of} has it. */
    public static Optional<String> among(String name, Collection<String> known) {
      int most = Math.max(1, (name.length() + 1) / 3);
      return known.stream()
          .min(Comparator.comparingInt(one -> distance(name, one)))
          .filter(closest -> distance(name, closest) <= most);
    }

    private static int distance(String name, String known) {
      String last = known.substring(known.lastIndexOf('.') + 1);
      return Math.min(edits(name, known), edits(name, last));
    }

    /** How many letters have to be put in, taken out, changed or swapped (Damerau, 1964). */
    private static int edits(String from, String to) {
      int[][] least = new int[from.length() + 1][to.length() + 1];
      for (int i = 0; i <= from.length(); i++) {
        for (int j = 0; j <= to.length(); j++) {
          least[i][j] = i == 0 || j == 0 ? i + j : edits(least, from, to, i, j);
        }
      }
      return least[from.length()][to.length()];
    }

    private static int edits(int[][] least, String from, String to, int i, int j) {
      int changed = least[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
      int shifted = 1 + Math.min(least[i - 1][j], least[i][j - 1]);
      boolean swapped =
          i > 1
              && j > 1
              && from.charAt(i - 1) == to.charAt(j - 2)
              && from.charAt(i - 2) == to.charAt(j - 1);
      return Math.min(
          swapped ? least[i - 2][j - 2] + 1 : Integer.MAX_VALUE, Math.min(changed, shifted));
    }
  }
}
