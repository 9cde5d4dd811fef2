package dev.colony.inference.replicas;

import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Tool;
import dev.colony.inference.WellFormed;
import java.util.ArrayList;
import java.util.List;

/**
 * The beginning of a prompt, cut where a number of its {@link PromptBlocks} end, as a prompt of its
 * own: at a server that chains blocks it has the same blocks up to there, but for the last, in
 * which what closes a message may stand.
 *
 * @param request over the beginning; a page that is cut stands in it as a message
 * @param wholeMessages of the prompt as it is sent, the preamble and each page one of them, that
 *     the beginning has to their ends
 * @param characters of the one after these
 */
public record PromptPrefix(InferenceRequest request, int wholeMessages, int characters) {

  /** What is asked where a prompt's beginning has no message that could be answered. */
  private static final ChatMessage.User ASKED = new ChatMessage.User(".");

  /**
   * Cuts a request's prompt. Costs one pass over its texts.
   *
   * @param blockCharacters by which its blocks were made
   * @param blocks how many of them it has, from 0; all of them give the request itself
   */
  public static PromptPrefix of(InferenceRequest request, int blockCharacters, int blocks) {
    Cut cut = new Cut(blockCharacters, blocks);
    Prompt beginning = cut.of(request);
    return new PromptPrefix(
        cut.whole ? request : request.prompt(beginning), cut.messages, cut.characters);
  }

  /** On its way through a prompt. */
  private static final class Cut {
    private final int blockCharacters;

    /** Blocks that are still to come. */
    private int left;

    private boolean whole = true;
    private int messages;
    private int characters;

    Cut(int blockCharacters, int blocks) {
      this.blockCharacters = blockCharacters;
      this.left = blocks;
    }

    Prompt of(InferenceRequest request) {
      Prompt prompt = request.prompt();
      for (Tool tool : request.reply().tools()) {
        take(tool.name() + tool.description() + tool.parameters());
      }
      String preamble = take(prompt.preamble());
      if (!prompt.preamble().isEmpty()) {
        passed(preamble.length());
      }
      List<PromptPage> pages = new ArrayList<>();
      List<ChatMessage> messages = new ArrayList<>();
      for (PromptPage page : prompt.pages()) {
        if (left > 0) {
          String text = take(page.text());
          if (whole) {
            pages.add(page);
          } else {
            messages.add(new ChatMessage.User(text));
          }
          passed(text.length());
        } else {
          whole = false;
        }
      }
      for (ChatMessage message : prompt.messages()) {
        if (left > 0) {
          messages.add(begun(message));
        } else {
          whole = false;
        }
      }
      // Servers want calls of tools to be answered, and the last word to be the user's.
      while (!messages.isEmpty()
          && messages.getLast() instanceof ChatMessage.Assistant said
          && !said.toolCalls().isEmpty()) {
        messages.removeLast();
      }
      if (messages.isEmpty() || messages.getLast() instanceof ChatMessage.Assistant) {
        messages.add(ASKED);
      }
      return new Prompt(preamble, pages, messages);
    }

    /** A message was taken as far as there were blocks for it. */
    private void passed(int taken) {
      if (whole) {
        this.messages++;
      } else if (characters == 0) {
        characters = taken;
      }
    }

    private ChatMessage begun(ChatMessage message) {
      return switch (message) {
        case ChatMessage.User user -> new ChatMessage.User(said(user.text()));
        case ChatMessage.Instruction instruction ->
            new ChatMessage.Instruction(said(instruction.text()));
        case ChatMessage.ToolResult result ->
            new ChatMessage.ToolResult(result.callId(), said(result.text()));
        case ChatMessage.Assistant assistant -> {
          String text = take(assistant.text());
          assistant.toolCalls().forEach(call -> take(call.name() + call.arguments()));
          passed(text.length());
          yield new ChatMessage.Assistant(text, assistant.toolCalls());
        }
      };
    }

    private String said(String text) {
      String taken = take(text);
      passed(taken.length());
      return taken;
    }

    /** The part of a text that the blocks cover which are still to come. */
    private String take(String text) {
      int blocks = (text.length() + blockCharacters - 1) / blockCharacters;
      int taken = Math.min(left, blocks);
      left -= taken;
      whole &= taken == blocks;
      return WellFormed.head(text, (int) Math.min(text.length(), (long) taken * blockCharacters));
    }
  }
}
