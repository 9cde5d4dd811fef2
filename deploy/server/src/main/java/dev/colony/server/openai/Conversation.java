package dev.colony.server.openai;

import dev.colony.inference.ChatMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * A conversation as it is read: what the application says first is its preamble. Not thread-safe.
 */
final class Conversation {

  private final List<String> preamble = new ArrayList<>();
  private final List<ChatMessage> messages = new ArrayList<>();

  /** What the application says. */
  void instruction(String text) {
    if (messages.isEmpty()) {
      preamble.add(text);
    } else {
      messages.add(new ChatMessage.Instruction(text));
    }
  }

  void add(ChatMessage message) {
    messages.add(message);
  }

  String preamble() {
    return messages.isEmpty() ? "" : String.join("\n\n", preamble);
  }

  /**
   * All after the preamble; what the application says alone is asked of the model.
   *
   * @param field that they come from
   */
  List<ChatMessage> messages(String field) {
    if (messages.isEmpty() && preamble.isEmpty()) {
      throw OpenAiError.invalid(field, field + " must have at least one message");
    }
    return messages.isEmpty()
        ? List.of(new ChatMessage.Instruction(String.join("\n\n", preamble)))
        : messages;
  }
}
