package dev.colony.examples;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle.OnEach;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.client.session.ResultPublisher.FailedWokenRun;
import dev.colony.library.policy.ConversationFormatter;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.library.policy.StreamFilters.SuccessfulActionFilter;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A user's end of a conversation with one agent. */
public final class Chat implements AutoCloseable {

  private static final String NAMESPACE = "chat";
  private static final int PATIENCE_SECONDS = 300;

  private final Blackboard board;
  private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
  private final CompletableFuture<Void> listening;
  private final CompletableFuture<Void> watching;

  /**
   * Spawns the agent, unless it is there already, and listens to it: to its replies, and to the
   * failures of the runs that messages have started, which no caller waits for.
   */
  public Chat(Blackboards blackboards, Colony colony, AgentId agent) {
    this.board = blackboards.open(agent.scope().namespace(NAMESPACE), "user");
    this.listening =
        OnEach.of(board.subscribe(ChatCapability.REPLIES + "*", SubscribeFrom.now()), this::hear);
    listening.whenComplete((end, failure) ->
        replies.add(
            "(" + (failure == null ? "the blackboard is closed" : failure.getMessage()) + ")"));
    this.watching =
        OnEach.of(
            blackboards
                .open(FailedWokenRun.scope(agent), "user")
                .subscribe(FailedWokenRun.KEY, SubscribeFrom.now()),
            this::failed);
    colony.spawn(agent, blueprint()).toCompletableFuture().join();
  }

  /** An agent whose whole experience is the conversation. */
  public static AgentBlueprint blueprint() {
    return AgentBlueprint.of(
        MinimalActionPolicy.class,
        PlannerArgs.NONE
            .role("You are a helpful assistant.")
            .goals("Answer every message of the user with respond_to_user, then be idle."))
        .capability(CapabilityBlueprint.of(ChatCapability.class).namespace(NAMESPACE))
        .stream(
            ConsciousnessStream.bind("conversation", ConversationFormatter.bind())
                .events(EventContextKeyFilter.bind("user_chat_message"))
                .actions(
                    SuccessfulActionFilter.bind(ActionKeySubstringFilter.bind("respond_to_user"))));
  }

  /**
   * Says something and waits for the answer, which says in brackets why there is none where the
   * agent has failed.
   *
   * @throws IllegalStateException if none comes
   */
  public String say(String message) throws InterruptedException {
    board
        .write(
            Write.of(
                ChatCapability.MESSAGES + UUID.randomUUID(),
                JsonNodeFactory.instance.objectNode().put("message", message)))
        .toCompletableFuture()
        .join();
    String reply = replies.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (reply == null) {
      throw new IllegalStateException("no answer within " + PATIENCE_SECONDS + " s");
    }
    return reply;
  }

  @Override
  public void close() {
    listening.cancel(false);
    watching.cancel(false);
  }

  private void failed(BlackboardEvent event) {
    if (event instanceof BlackboardEvent.Written written) {
      replies.add("(the agent has failed: " + written.value().path("reason").asText() + ")");
    }
  }

  private void hear(BlackboardEvent event) {
    if (event instanceof BlackboardEvent.Written written) {
      replies.add(written.value().path("reply").asText());
    }
  }
}
