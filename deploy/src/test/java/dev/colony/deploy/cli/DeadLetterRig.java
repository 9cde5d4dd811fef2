package dev.colony.deploy.cli;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Colony;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.DeadLetters;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.inbox.InboxBucket;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Makes dead letters as a node does whose agent takes nothing. */
public record DeadLetterRig(Blackboards blackboards, Colony colony) {

  public static final String REASON = "1 deliveries failed, the last by: a fault of the test";

  private static final String NAMESPACE = "work";

  /** The letter of a run and its name. */
  public record Dead(String name, RunId run) {}

  /** A run that became one, with its FAILED result. */
  public Dead run(AgentId id) {
    RunHandle run =
        colony.agent(id).run(TextNode.valueOf("do it"), RunOptions.namespace(NAMESPACE));
    join(run.stored());
    AgentRun failed = AgentRun.neverAccepted(run.runId(), "the request became a dead letter");
    join(
        blackboards
            .open(id.scope().namespace(NAMESPACE), id.persistenceId())
            .write(
                Write.of(new AgentRunProtocol().resultKey(run.runId().value()), failed.toJson())));
    return new Dead(bury(id), run.runId());
  }

  /** A signal that became one; its name. */
  public String signal(AgentId id) {
    join(colony.agent(id).signal("go", "it is time"));
    return bury(id);
  }

  /** Deletes what the agent's runs have left. */
  public void clear(AgentId id) {
    join(blackboards.open(id.scope().namespace(NAMESPACE), "test").clear());
  }

  /**
   * Sends a letter by a process that dies between the two steps: the run is asked for, the letter
   * is still there.
   */
  public void sendHalf(String name) {
    Inbox sound = blackboards.inbox();
    Inbox dying = dying(Inbox.class, sound, "drop", () -> new CompletableFuture<Boolean>());
    Blackboards process = dying(Blackboards.class, blackboards, "inbox", () -> dying);
    DeadLetters letters = new DeadLetters(process);
    letters.send(join(letters.find(Optional.empty(), name)).orElseThrow(), "test");
  }

  /** The same, but for one method. */
  private static <T> T dying(Class<T> type, T sound, String method, Supplier<?> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) ->
                called.getName().equals(method) ? answer.get() : called.invoke(sound, arguments)));
  }

  /** What is in the inbox for the agent. */
  public List<InboxMessage.Request> waiting(AgentId id) {
    Inbox inbox = blackboards.inbox();
    return IntStream.range(0, inbox.buckets())
        .boxed()
        .flatMap(bucket -> join(inbox.pending(bucket, 10_000)).stream())
        .filter(message -> message.recipient().equals(id.persistenceId()))
        .map(InboxMessage.Request.class::cast)
        .filter(message -> message.scope().level() == ScopeLevel.AGENT)
        .toList();
  }

  private String bury(AgentId id) {
    InboxMessage.Request request = waiting(id).getLast();
    Inbox inbox = blackboards.inbox();
    int bucket = InboxBucket.of(request.scope(), inbox.buckets());
    join(inbox.failed(bucket, request.id(), "1"));
    join(inbox.bury(bucket, request, 1, REASON));
    List<DeadLetter> letters = join(inbox.deadLetters(bucket, Optional.empty(), 1_000));
    return DeadLetters.name(letters.getLast());
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
