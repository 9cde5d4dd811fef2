package dev.colony.inference.replicas;

import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.WellFormed;
import dev.colony.vcm.schedule.Ask;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A prompt as chained blocks of text: the hash of a block covers its characters and all before it,
 * so that prompts with equal blocks begin alike. All that decides on a prompt's beginning at the
 * server is in it: the model asked for, its salt, the tools, the preamble, the pages, the messages.
 * A block has a number of characters, or ends with the text that it is of. Costs one pass over the
 * text.
 *
 * @param chain the blocks, the first of the prompt first; at least one
 * @param ends for each block the tokens of the prompt up to its end, estimated
 * @param pageEnds for each page how many blocks there are up to its end
 */
public record PromptBlocks(long[] chain, double[] ends, int[] pageEnds) {

  /** The field of a body that keeps a prompt's blocks apart from those with another value. */
  public static final String SALT = "cache_salt";

  /** Characters of a token of English or code, by the tokenizers of current models. */
  static final double TOKEN_CHARACTERS = 4;

  /**
   * The blocks of a request's prompt.
   *
   * @param blockCharacters of a block, at most
   */
  public static PromptBlocks of(InferenceRequest request, int blockCharacters) {
    Prompt prompt = request.prompt();
    Chain chain = new Chain(blockCharacters);
    chain.salt(request.model().toString());
    if (request.extraFields().containsKey(SALT)) {
      chain.salt(SALT + request.extraFields().get(SALT));
    }
    for (Tool tool : request.reply().tools()) {
      chain.add(tool.name() + tool.description() + tool.parameters());
    }
    chain.add(prompt.preamble());
    List<PromptPage> pages = prompt.pages();
    int[] pageEnds = new int[pages.size()];
    for (int i = 0; i < pageEnds.length; i++) {
      chain.add(pages.get(i).text(), pages.get(i).sizeTokens());
      pageEnds[i] = chain.size;
    }
    for (ChatMessage message : prompt.messages()) {
      switch (message) {
        case ChatMessage.User user -> chain.add(user.text());
        case ChatMessage.Instruction instruction -> chain.add(instruction.text());
        case ChatMessage.ToolResult result -> chain.add(result.text());
        case ChatMessage.Assistant assistant -> {
          chain.add(assistant.text());
          for (ToolCall call : assistant.toolCalls()) {
            chain.add(call.name() + call.arguments());
          }
        }
      }
    }
    if (chain.size == 0) {
      chain.close(1);
    }
    return new PromptBlocks(
        Arrays.copyOf(chain.blocks, chain.size), Arrays.copyOf(chain.ends, chain.size), pageEnds);
  }

  /** What a router is asked. */
  public Ask ask(InferenceRequest request, Set<String> excluded) {
    return new Ask(
        chain,
        ends,
        Math.max(1, Math.round(ends[ends.length - 1])),
        request.reply().maxTokens(),
        Optional.of(request.context().tenant()),
        request.context().session(),
        excluded);
  }

  private static final class Chain {
    private final int blockCharacters;
    private long[] blocks = new long[64];
    private double[] ends = new double[64];
    private int size;
    private double tokens;
    private long hash = 0x9E3779B97F4A7C15L;

    Chain(int blockCharacters) {
      this.blockCharacters = blockCharacters;
    }

    /** Takes a text into the names of all blocks, and into none of their sizes. */
    void salt(String text) {
      hash = mix(hash * 31 + text.hashCode());
    }

    void add(String text) {
      add(text, text.length() / TOKEN_CHARACTERS);
    }

    void add(String text, double textTokens) {
      int filled = 0;
      for (int i = 0; i < text.length(); i++) {
        hash = hash * 31 + text.charAt(i);
        if (++filled == blockCharacters || i + 1 == text.length()) {
          close(textTokens * filled / text.length());
          filled = 0;
        }
      }
    }

    void close(double blockTokens) {
      hash = mix(hash);
      if (size == blocks.length) {
        blocks = Arrays.copyOf(blocks, 2 * size);
        ends = Arrays.copyOf(ends, 2 * size);
      }
      tokens += blockTokens;
      blocks[size] = hash;
      ends[size++] = tokens;
    }

    /**
     * The finalizer of SplitMix64: a bijection in which every input bit reaches every output bit.
     */
    private static long mix(long z) {
      long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
      long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
      return b ^ (b >>> 31);
    }
  }

  /**
   * The beginning of a prompt, cut where a number of its {@link PromptBlocks} end, as a prompt of
   * its own: at a server that chains blocks it has the same blocks up to there, but for the last,
   * in which what closes a message may stand.
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
}
