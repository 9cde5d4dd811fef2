package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** One protocol: how a request is written, and how a reply is read, whole or in parts. */
interface Wire {

  /**
   * The body of a request. The same preamble, tools and pages always give the same bytes up to the
   * messages, which is what prefix caches live on.
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
