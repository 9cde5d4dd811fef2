package dev.colony.replica;

import java.util.List;

/**
 * Lays messages out as one token sequence, each between markers, the way chat models are prompted.
 * Messages are tokenized one by one, so a message's tokens never depend on its neighbours.
 */
final class ChatTemplate {

  private static final int START = -1;
  private static final int END_OF_HEADER = -2;
  private static final int END = -3;
  private static final int ROLES = -16;

  /**
   * A prompt's tokens.
   *
   * @param ends for each message, the position after its last token
   */
  record Prompt(int[] tokens, int[] ends) {

    /** Tokens of one message, its markers included. */
    int sizeTokens(int message) {
      return ends[message] - (message == 0 ? 0 : ends[message - 1]);
    }
  }

  private ChatTemplate() {}

  static Prompt lay(List<Message> messages, TokenMemo memo) {
    int[][] texts = new int[messages.size()][];
    int total = 3;
    for (int i = 0; i < texts.length; i++) {
      texts[i] = memo.tokens(messages.get(i).content());
      total += texts[i].length + 4;
    }
    int[] tokens = new int[total];
    int[] ends = new int[texts.length];
    int at = 0;
    for (int i = 0; i < texts.length; i++) {
      at = header(tokens, at, messages.get(i).role());
      System.arraycopy(texts[i], 0, tokens, at, texts[i].length);
      at += texts[i].length;
      tokens[at++] = END;
      ends[i] = at;
    }
    header(tokens, at, "assistant");
    return new Prompt(tokens, ends);
  }

  private static int header(int[] tokens, int at, String role) {
    tokens[at] = START;
    tokens[at + 1] = ROLES - role.hashCode() % 8;
    tokens[at + 2] = END_OF_HEADER;
    return at + 3;
  }
}
