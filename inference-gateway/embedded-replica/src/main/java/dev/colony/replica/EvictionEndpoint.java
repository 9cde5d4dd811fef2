package dev.colony.replica;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.replica.ChatTemplate.Prompt;
import dev.colony.replica.http.Exchange;
import java.io.IOException;

/**
 * {@code POST /colony/evict}: a hint that the blocks of a prompt behind its beginning are wanted
 * least, so that they are the next to be evicted, the last first. Takes the body of a chat
 * completion with {@code "keep": {"messages": n, "characters": m}} in addition: the beginning has
 * the first n messages, and of the content of the next one m characters. Blocks that a running call
 * uses stay; nothing is computed.
 */
final class EvictionEndpoint {

  private final EmbeddedReplicaSettings settings;
  private final Engine engine;
  private final TokenMemo memo;

  EvictionEndpoint(EmbeddedReplicaSettings settings, Engine engine, TokenMemo memo) {
    this.settings = settings;
    this.engine = engine;
    this.memo = memo;
  }

  void handle(Exchange exchange) throws ApiError, IOException, InterruptedException {
    ChatRequest request = ChatRequest.parse(exchange.body());
    JsonNode keep = Exchanges.JSON.readTree(exchange.body()).path("keep");
    int messages = count(keep, "messages");
    int characters = count(keep, "characters");
    Prompt prompt = ChatTemplate.lay(request.messages(), request.tools(), memo);
    int kept = kept(request, prompt, messages, characters);
    int block = settings.blockTokens();
    int from = (kept + block - 1) / block;
    int[] tokens = prompt.tokens();
    int moved =
        from * block >= tokens.length ? 0 : engine.evictNext(tokens, request.cacheSalt(), from);
    Exchanges.json(exchange, 200, Exchanges.JSON.createObjectNode().put("blocks", moved));
  }

  private static int count(JsonNode keep, String name) throws ApiError {
    JsonNode value = keep.path(name);
    if (!value.isInt() || value.intValue() < 0) {
      throw ApiError.invalid("keep", "keep." + name + " must be a whole number from 0");
    }
    return value.intValue();
  }

  /** Tokens of the beginning. A part of a message has its part of the message's tokens. */
  private static int kept(ChatRequest request, Prompt prompt, int messages, int characters) {
    if (messages >= prompt.starts().length) {
      return prompt.tokens().length;
    }
    int length = request.messages().get(messages).content().length();
    double part = length == 0 ? 0 : Math.min(1, (double) characters / length);
    int before = messages == 0 && characters == 0 ? 0 : prompt.starts()[messages];
    return before + (int) Math.ceil(part * prompt.sizeTokens(messages));
  }
}
