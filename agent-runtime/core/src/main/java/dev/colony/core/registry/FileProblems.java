package dev.colony.core.registry;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.blackboard.value.Text;
import dev.colony.core.registry.BlueprintFile.Problem;
import dev.colony.schema.LocatedJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** What is found wrong in a file, with the places. */
final class FileProblems {

  private static final int SHOWN = 80;

  private final LocatedJson source;
  private final List<Problem> found = new ArrayList<>();

  FileProblems(LocatedJson source) {
    this.source = source;
  }

  /** All so far. */
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
}
