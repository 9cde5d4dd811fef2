package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptPage;
import dev.colony.inference.Sampling;
import dev.colony.inference.provider.Dialect.SystemRole;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A request as it is sent once.
 *
 * @param model by the server's name
 * @param repairs what is said after the prompt where an earlier reply was not as it has to be
 * @param maxTokens bound on the reply
 * @param anew whether an earlier reply was a loop, so that this one is kept from repeating words
 * @param begun the reply as far as it is written, which the model goes on with; empty for none
 */
record Exchange(
    InferenceRequest request,
    String model,
    Dialect dialect,
    ReplyContract contract,
    List<ChatMessage> repairs,
    int maxTokens,
    boolean anew,
    String begun) {

  Exchange {
    repairs = List.copyOf(repairs);
  }

  /** The preamble, where it is a message of its own; empty for none. */
  String system() {
    return dialect.system() == SystemRole.USER ? "" : preamble();
  }

  private String preamble() {
    return joined(request.prompt().preamble(), contract.preambleNote());
  }

  /** All messages after the system message, in their order; pages are messages of the user. */
  List<ChatMessage> messages() {
    List<ChatMessage> all = new ArrayList<>();
    if (dialect.system() == SystemRole.USER && !preamble().isEmpty()) {
      all.add(new ChatMessage.User(preamble()));
    }
    for (PromptPage page : request.prompt().pages()) {
      all.add(new ChatMessage.User(page.text()));
    }
    all.addAll(contract.rendered(request.prompt().messages()));
    if (!contract.note().isEmpty()) {
      if (all.getLast() instanceof ChatMessage.User asked) {
        all.set(all.size() - 1, new ChatMessage.User(joined(asked.text(), contract.note())));
      } else {
        all.add(new ChatMessage.User(contract.note()));
      }
    }
    all.addAll(contract.rendered(repairs));
    if (!begun.isEmpty()) {
      all.add(new ChatMessage.Assistant(begun, List.of()));
    }
    return dialect.alternating() ? merged(all) : all;
  }

  private static List<ChatMessage> merged(List<ChatMessage> messages) {
    List<ChatMessage> merged = new ArrayList<>();
    for (ChatMessage message : messages) {
      ChatMessage next = message;
      ChatMessage last = merged.isEmpty() ? null : merged.getLast();
      if (next instanceof ChatMessage.Instruction instruction) {
        next = new ChatMessage.User(instruction.text());
      }
      if (last instanceof ChatMessage.User before && next instanceof ChatMessage.User user) {
        merged.set(merged.size() - 1, new ChatMessage.User(joined(before.text(), user.text())));
      } else {
        merged.add(next);
      }
    }
    return merged;
  }

  private static String joined(String first, String second) {
    return first.isEmpty() ? second : second.isEmpty() ? first : first + "\n\n" + second;
  }

  /** Whether a reply that is not whole is none: then no more of one that repeats itself is read. */
  boolean ofUseAsWhole() {
    return !request.reply().mayBeCut() && !contract.verbatim();
  }

  /** Whether the body has an optional field. */
  boolean sends(String field) {
    return !dialect.omitted().contains(field);
  }

  /** The sampling without what the server does not take, by OpenAI's names. */
  Sampling sampling() {
    Sampling all = request.sampling();
    return new Sampling(
        sends("temperature") ? all.temperature() : OptionalDouble.empty(),
        sends("top_p") ? all.topP() : OptionalDouble.empty(),
        sends("seed") ? all.seed() : OptionalLong.empty(),
        sends("stop") ? all.stop() : List.of(),
        sends("reasoning_effort") ? all.effort() : Optional.empty());
  }

  /** One protocol: how a request is written, and how a reply is read, whole or in parts. */
  interface Wire {

    /**
     * The body of a request. The same preamble, tools and pages always give the same bytes up to
     * the messages, which is what prefix caches live on.
     */
    ObjectNode body(Exchange exchange);

    /** Reads a whole reply. */
    void read(JsonNode reply, ReplyBuilder into) throws CallFailure;

    /**
     * Reads a part of a reply.
     *
     * @param event the event's name; empty where the protocol has none
     */
    void read(String event, JsonNode data, ReplyBuilder into) throws CallFailure;

    /** That of a protocol. */
    static Wire of(Dialect.Protocol protocol) {
      return switch (protocol) {
        case CHAT_COMPLETIONS -> new ChatCompletions();
        case RESPONSES -> new Responses();
        case MESSAGES -> new AnthropicMessages();
      };
    }
  }
}
