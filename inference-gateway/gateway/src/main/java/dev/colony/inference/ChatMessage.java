package dev.colony.inference;

import java.util.List;

/** A turn of a conversation, after the pages of a prompt. */
public sealed interface ChatMessage {

  /** What the caller says. */
  record User(String text) implements ChatMessage {}

  /** What the application says in the midst of the conversation, as the preamble does before it. */
  record Instruction(String text) implements ChatMessage {}

  /**
   * What the model has said before.
   *
   * @param toolCalls what it asked for; each is answered by a {@link ToolResult} that follows
   */
  record Assistant(String text, List<ToolCall> toolCalls) implements ChatMessage {

    public Assistant {
      toolCalls = List.copyOf(toolCalls);
    }
  }

  /**
   * What a tool gave.
   *
   * @param callId of the {@link ToolCall} that it answers
   */
  record ToolResult(String callId, String text) implements ChatMessage {}
}
