package dev.colony.inference;

import java.util.List;

/**
 * What a model is given: preamble, pages, messages, in this order, so that calls over the same
 * pages share their prefix.
 *
 * @param preamble the system message; keep it constant, every page's cached prefix hangs on it.
 *     Empty for none
 * @param pages in the order in which they stand in the prompt
 * @param messages at least one; the last is what is asked
 */
public record Prompt(String preamble, List<PromptPage> pages, List<ChatMessage> messages) {

  /** Of English and of code, by the tokenizers of current models. */
  private static final int CHARS_PER_TOKEN = 4;

  private static final char FIRST_BEYOND_LATIN = '\u0250';

  public Prompt {
    pages = List.copyOf(pages);
    messages = List.copyOf(messages);
    if (messages.isEmpty()) {
      throw new IllegalArgumentException("a prompt has at least one message");
    }
  }

  /** One that asks about pages. */
  public static Prompt of(String preamble, List<PromptPage> pages, String question) {
    return new Prompt(preamble, pages, List.of(new ChatMessage.User(question)));
  }

  /** How many tokens it has, estimated; a page knows its own. Costs a look at each character. */
  public long estimatedTokens() {
    long characters = size(preamble);
    for (ChatMessage message : messages) {
      characters +=
          switch (message) {
            case ChatMessage.User user -> size(user.text());
            case ChatMessage.Instruction instruction -> size(instruction.text());
            case ChatMessage.ToolResult result -> size(result.text());
            case ChatMessage.Assistant assistant ->
                size(assistant.text())
                    + assistant.toolCalls().stream()
                        .mapToLong(call -> size(call.arguments().toString()))
                        .sum();
          };
    }
    return characters / CHARS_PER_TOKEN + pages.stream().mapToLong(PromptPage::sizeTokens).sum();
  }

  /** In characters of English: of most other scripts each character is a token. */
  private static long size(String text) {
    return text.length()
        + (CHARS_PER_TOKEN - 1) * text.chars().filter(one -> one >= FIRST_BEYOND_LATIN).count();
  }
}
