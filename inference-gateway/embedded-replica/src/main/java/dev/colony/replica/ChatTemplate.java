package dev.colony.replica;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.knuddels.jtokkit.api.IntArrayList;
import dev.colony.replica.lexical.LexicalModel.Tools.Call;
import dev.colony.vcm.mapping.TokenCounter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * Lays messages out as one token sequence, each between markers, the way chat models are prompted;
 * tools stand in the system message. Messages are tokenized one by one, so a message's tokens never
 * depend on its neighbours.
 */
final class ChatTemplate {

  // Above the ids of o200k_base's words.
  private static final int START = 200006;
  static final int END = 200007;
  private static final int END_OF_HEADER = 200008;

  /**
   * A prompt's tokens.
   *
   * @param starts for each message, the position of its first token
   * @param ends for each message, the position after its last token
   */
  record Prompt(int[] tokens, int[] starts, int[] ends) {

    /** Tokens of one message, its markers included. */
    int sizeTokens(int message) {
      return ends[message] - starts[message];
    }
  }

  private final TokenMemo memo;
  private int[] tokens = new int[1024];
  private int size;

  private ChatTemplate(TokenMemo memo) {
    this.memo = memo;
  }

  static Prompt lay(List<Message> messages, List<ObjectNode> tools, TokenMemo memo) {
    return new ChatTemplate(memo).prompt(messages, Message.offered(tools));
  }

  private Prompt prompt(List<Message> messages, String tools) {
    int[] starts = new int[messages.size()];
    int[] ends = new int[messages.size()];
    boolean ownSystem = messages.getFirst().role().equals("system");
    if (!tools.isEmpty() && !ownSystem) {
      header("system");
      text(tools);
      add(END);
    }
    for (int i = 0; i < starts.length; i++) {
      Message message = messages.get(i);
      starts[i] = size;
      header(message.role());
      text(message.rendered());
      if (i == 0 && ownSystem && !tools.isEmpty()) {
        text("\n\n" + tools);
      }
      add(END);
      ends[i] = size;
    }
    header("assistant");
    return new Prompt(Arrays.copyOf(tokens, size), starts, ends);
  }

  private void header(String role) {
    add(START);
    text(role);
    add(END_OF_HEADER);
  }

  private void text(String text) {
    int[] added = memo.tokens(text);
    room(added.length);
    System.arraycopy(added, 0, tokens, size, added.length);
    size += added.length;
  }

  private void add(int token) {
    room(1);
    tokens[size++] = token;
  }

  private void room(int more) {
    if (size + more > tokens.length) {
      tokens = Arrays.copyOf(tokens, Math.max(size + more, tokens.length * 2));
    }
  }

  /**
   * One chat message of a prompt.
   *
   * @param calls the tool calls of an assistant message, in their order
   * @param callId of a tool message, the call whose result it holds; empty for other roles
   */
  record Message(String role, String content, List<MadeCall> calls, String callId) {

    /** A call that the assistant has made. */
    record MadeCall(String id, Call call) {}

    Message {
      calls = List.copyOf(calls);
    }

    /** What the chat template puts between the message's markers. */
    String rendered() {
      if (calls.isEmpty()) {
        return content;
      }
      StringBuilder text = new StringBuilder(content);
      for (MadeCall made : calls) {
        if (!text.isEmpty()) {
          text.append('\n');
        }
        text.append(rendered(made.call()));
      }
      return text.toString();
    }

    /** A call as the model writes it. */
    static String rendered(Call call) {
      return beforeArguments(call.name()) + call.arguments() + AFTER_ARGUMENTS;
    }

    static final String AFTER_ARGUMENTS = "}\n</tool_call>";

    static String beforeArguments(String name) {
      return "<tool_call>\n{\"name\": " + quoted(name) + ", \"arguments\": ";
    }

    /** The system's words about the tools that are offered; empty where there are none. */
    static String offered(List<ObjectNode> tools) {
      if (tools.isEmpty()) {
        return "";
      }
      StringBuilder text =
          new StringBuilder("# Tools\n\nYou may call one or more functions.\n\n<tools>\n");
      tools.forEach(tool -> text.append(tool).append('\n'));
      return text.append("</tools>\n\nA call is written as <tool_call>{\"name\": <function-name>,")
          .append(" \"arguments\": <args-json-object>}</tool_call>.")
          .toString();
    }

    private static String quoted(String text) {
      return TextNode.valueOf(text).toString();
    }
  }

  /**
   * Tokens of message texts (o200k_base), remembered by the text's digest: the same page comes with
   * every call, and tokenizing costs a hundred times what digesting does. Holds at most four
   * million tokens, least recently used out first. Thread-safe.
   */
  static final class TokenMemo {

    private static final long MOST_TOKENS = 4_000_000;

    private final LinkedHashMap<ByteBuffer, int[]> memo = new LinkedHashMap<>(64, 0.75f, true);
    private long held;

    int[] tokens(String text) {
      ByteBuffer digest = digest(text);
      synchronized (memo) {
        int[] known = memo.get(digest);
        if (known != null) {
          return known;
        }
      }
      int[] tokens = encode(text);
      synchronized (memo) {
        if (memo.put(digest, tokens) == null) {
          held += tokens.length;
        }
        while (held > MOST_TOKENS && !memo.isEmpty()) {
          held -= memo.pollFirstEntry().getValue().length;
        }
      }
      return tokens;
    }

    private static int[] encode(String text) {
      IntArrayList encoded = TokenCounter.o200k().encodeOrdinary(text);
      int[] tokens = new int[encoded.size()];
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = encoded.get(i);
      }
      return tokens;
    }

    private static ByteBuffer digest(String text) {
      try {
        MessageDigest sha = MessageDigest.getInstance("SHA-256");
        return ByteBuffer.wrap(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }
  }
}
