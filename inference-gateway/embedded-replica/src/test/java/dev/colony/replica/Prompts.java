package dev.colony.replica;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Request bodies for tests. */
final class Prompts {

  private Prompts() {}

  /** A system message, a user message for each page, and the question. */
  static ObjectNode prompt(String question, String... pages) {
    ObjectNode root = HttpDriver.JSON.createObjectNode().put("model", EmbeddedReplica.MODEL);
    ArrayNode messages = root.putArray("messages");
    messages.addObject().put("role", "system").put("content", "You answer from pages of source.");
    for (String page : pages) {
      messages.addObject().put("role", "user").put("content", page);
    }
    messages.addObject().put("role", "user").put("content", question);
    return root;
  }

  /** A page of about {@code lines * 6} tokens, different for each name. */
  static String page(String name, int lines) {
    return "=== src/%s.java (lines 1-%d)\n".formatted(name, lines)
        + IntStream.range(0, lines)
            .mapToObj(i -> "int " + name + i + " = " + i + ";")
            .collect(Collectors.joining("\n"));
  }
}
