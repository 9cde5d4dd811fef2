package dev.colony.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;

/**
 * A model call as a policy asks for it: pages by name, fetched where the agent runs.
 *
 * @param preamble the system message; constant per policy, since cached prefixes hang on it
 * @param pages in the order in which they stand in the prompt
 * @param messages behind the pages, at least one; the last is what is asked
 * @param reply what it has to be: text or JSON, with tools or without, and how long
 * @param sampling how the model chooses its words
 * @param model that is to answer; empty for the one of the agent's blueprint
 */
public record ModelCall(
    String preamble,
    List<PageId> pages,
    List<ChatMessage> messages,
    ReplyForm reply,
    Sampling sampling,
    Optional<ModelChoice> model) {

  public ModelCall {
    pages = List.copyOf(pages);
    messages = List.copyOf(messages);
    if (messages.isEmpty()) {
      throw new IllegalArgumentException("a model call has at least one message");
    }
  }

  /**
   * A call of the agent's model with one question, for its most likely words.
   *
   * @param suffix what is asked about the pages
   * @param schema JSON schema that the reply must satisfy; empty for free text
   * @param maxTokens bound on the reply
   */
  public ModelCall(
      String preamble,
      List<PageId> pages,
      String suffix,
      Optional<JsonNode> schema,
      int maxTokens) {
    this(
        preamble,
        pages,
        List.of(new ChatMessage.User(suffix)),
        ReplyForm.text(maxTokens).schema(schema),
        Sampling.GREEDY,
        Optional.empty());
  }

  public ModelCall model(ModelChoice choice) {
    return new ModelCall(preamble, pages, messages, reply, sampling, Optional.of(choice));
  }

  public ModelCall messages(List<ChatMessage> all) {
    return new ModelCall(preamble, pages, all, reply, sampling, model);
  }

  public ModelCall reply(ReplyForm form) {
    return new ModelCall(preamble, pages, messages, form, sampling, model);
  }

  public ModelCall sampling(Sampling other) {
    return new ModelCall(preamble, pages, messages, reply, other, model);
  }

  /** What the user says last; empty where the last message is not the user's. */
  public String suffix() {
    return messages.getLast() instanceof ChatMessage.User user ? user.text() : "";
  }
}
