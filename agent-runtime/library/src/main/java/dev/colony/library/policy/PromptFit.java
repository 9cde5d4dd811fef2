package dev.colony.library.policy;

import dev.colony.agent.AgentException;
import dev.colony.agent.ModelCall;
import dev.colony.agent.author.Agent;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.PromptLength;
import dev.colony.inference.InferenceReply;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.TokenCounter;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Asks a model again, with a shorter prompt, where it refuses one as too long. The numbers of the
 * refusal say by how much; prompts are counted with the vocabulary of {@link TokenCounter}, which
 * is seldom the model's own.
 */
public final class PromptFit {

  /** How often a prompt is made shorter before its refusal is the caller's. */
  private static final int MOST_SHORTER = 2;

  /** Of the room that a refusal leaves to the prompt, for what counts otherwise at the model. */
  private static final double MARGIN = 0.9;

  /** Of the model's limit the reply takes no more, whatever it may have. */
  private static final double MOST_REPLY = 0.5;

  /** What is kept of a prompt where the refusal has no limit. */
  private static final double WITHOUT_LIMIT = 0.5;

  private static final String SHORTER = "-short";
  private static final TokenCounter COUNTER = new TokenCounter();

  private PromptFit() {}

  /**
   * Asks, and at most twice again, as {@code NAME-short} and {@code NAME-short-2}. A prompt that
   * does not become shorter is not sent again.
   *
   * @param name of the call, unique within the iteration
   * @param without makes the call with a prompt that has at least so many tokens fewer than the
   *     whole one, if it can; 0 for the whole one
   * @throws AgentException if the model does not answer, which includes that it refuses the
   *     shortest
   */
  public static InferenceReply infer(Agent agent, String name, LongFunction<ModelCall> without) {
    ModelCall call = without.apply(0);
    long less = 0;
    for (int shorter = 0; ; shorter++) {
      try {
        return agent.inference().infer(name(name, shorter), call);
      } catch (AgentException refused) {
        if (shorter == MOST_SHORTER || !tooLong(refused)) {
          throw refused;
        }
        long tokens = tokens(agent, call);
        less += tokens - room(refused, tokens, call.reply().maxTokens());
        ModelCall next = without.apply(less);
        if (next.pages().equals(call.pages()) && next.messages().equals(call.messages())) {
          throw refused;
        }
        call = next;
      }
    }
  }

  private static String name(String name, int shorter) {
    return switch (shorter) {
      case 0 -> name;
      case 1 -> name + SHORTER;
      default -> name + SHORTER + "-" + shorter;
    };
  }

  /** Whether a model refuses the prompt as too long. */
  public static boolean tooLong(AgentException failure) {
    return failure.getCause() instanceof InferenceException of
        && of.kind() == InferenceException.Kind.TOO_LONG;
  }

  /**
   * How many tokens a prompt may have that was refused; fewer than it has.
   *
   * @param refused for which {@link #tooLong} holds
   * @param tokens that it has, as {@link #tokens} counts
   * @param replyTokens that the reply may have
   */
  public static long room(AgentException refused, long tokens, int replyTokens) {
    PromptLength said = ((InferenceException) refused.getCause()).promptLength().orElseThrow();
    if (said.limitTokens().isEmpty()) {
      return (long) (tokens * WITHOUT_LIMIT);
    }
    double limit = said.limitTokens().getAsLong();
    // A server may have counted only as far as to the first token that is too much.
    double counted = Math.max(tokens, said.promptTokens().orElse(tokens));
    double share = (limit - Math.min(replyTokens, limit * MOST_REPLY)) / counted;
    return (long) (tokens * Math.min(share, 1) * MARGIN);
  }

  /** How many tokens the prompt of a call has, with its pages, tools and schema. */
  public static long tokens(Agent agent, ModelCall call) {
    long tokens = tokens(call.preamble()) + pageTokens(agent, call.pages());
    for (ChatMessage message : call.messages()) {
      tokens +=
          switch (message) {
            case ChatMessage.User user -> tokens(user.text());
            case ChatMessage.Instruction said -> tokens(said.text());
            case ChatMessage.ToolResult result -> tokens(result.text());
            case ChatMessage.Assistant said ->
                tokens(said.text())
                    + said.toolCalls().stream()
                        .mapToLong(one -> tokens(one.arguments().toString()))
                        .sum();
          };
    }
    tokens +=
        call.reply().tools().stream()
            .mapToLong(one -> tokens(one.description() + one.parameters()))
            .sum();
    return tokens + call.reply().schema().map(one -> tokens(one.toString())).orElse(0);
  }

  /** How many tokens a text has. */
  public static int tokens(String text) {
    return COUNTER.count(text);
  }

  public static long pageTokens(Agent agent, List<PageId> pages) {
    return pages.isEmpty()
        ? 0
        : agent.pages().pages(pages).stream().mapToLong(VirtualContextPage::sizeTokens).sum();
  }
}
