package dev.colony.examples;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionExecutor.IdempotencyKey;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Write;

/** Hears what a user says and answers. */
@Registered(value = "example.chat", summary = "Talks with a user.")
public final class ChatCapability extends AgentCapability {

  /** Where a user's messages stand: {@code message:{number}}. */
  static final String MESSAGES = "message:";

  /** Where the agent's replies stand. */
  static final String REPLIES = "reply:";

  /** What a user says. */
  public record Message(String message) {}

  public ChatCapability(CapabilityContext context) {
    super(context);
  }

  @EventHandler(pattern = MESSAGES + "*", contextKey = "user_chat_message")
  Message onMessage(Message said) {
    return said;
  }

  @ActionExecutor(
      key = "respond_to_user",
      summary = "Answers the user's last message. Once it is answered there is nothing to do.")
  String respond(@Param("what to tell the user") String reply, IdempotencyKey key) {
    String id = key.value().replaceAll("[^A-Za-z0-9._~-]", "-");
    blackboard()
        .write(Write.of(REPLIES + id, JsonNodeFactory.instance.objectNode().put("reply", reply)))
        .toCompletableFuture()
        .join();
    return reply;
  }
}
