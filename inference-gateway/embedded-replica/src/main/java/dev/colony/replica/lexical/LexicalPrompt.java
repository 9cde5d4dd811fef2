package dev.colony.replica.lexical;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * What the model is asked.
 *
 * @param context the user messages before the request: pages, as a rule
 * @param request the user message that holds the task and the question
 * @param schema what the reply must satisfy; empty for free text
 */
public record LexicalPrompt(List<String> context, String request, Optional<JsonNode> schema) {

  static final String QUESTION = "Question: ";

  public LexicalPrompt {
    context = List.copyOf(context);
  }

  /**
   * Tells request from context: the request is the last user message that asks a question on a line
   * of its own, or else the last one.
   */
  public static LexicalPrompt of(List<String> userMessages, Optional<JsonNode> schema) {
    int request = userMessages.size() - 1;
    for (int i = request; i >= 0; i--) {
      if (questionIn(userMessages.get(i)).isPresent()) {
        request = i;
        break;
      }
    }
    return request < 0
        ? new LexicalPrompt(List.of(), "", schema)
        : new LexicalPrompt(userMessages.subList(0, request), userMessages.get(request), schema);
  }

  /** The question's text, or the whole request where no line is marked as the question. */
  String question() {
    return questionIn(request).orElse(request);
  }

  private static Optional<String> questionIn(String message) {
    return message
        .lines()
        .filter(line -> line.startsWith(QUESTION))
        .map(line -> line.substring(QUESTION.length()).strip())
        .reduce((first, last) -> last);
  }
}
