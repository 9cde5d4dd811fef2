package dev.colony.agent.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.directory.DirectoryEntry;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a batch of requests to their agents. A request is done with when its agent has journaled it
 * or when its result, be it a refusal, is on the blackboard; only then is it acknowledged. Whatever
 * fails in between is left for the next reading.
 */
final class InboxDelivery {

  private static final Logger LOG = LoggerFactory.getLogger(InboxDelivery.class);

  private final Blackboards blackboards;
  private final AgentDirectory directory;
  private final ResultPublisher results;
  private final AgentDoor door;

  InboxDelivery(
      Blackboards blackboards, AgentDirectory directory, ResultPublisher results, AgentDoor door) {
    this.blackboards = blackboards;
    this.directory = directory;
    this.results = results;
    this.door = door;
  }

  /** What is known of a message before it is sent on. */
  private record Prepared(
      InboxMessage message,
      AgentId agent,
      RunRequest request,
      boolean finished,
      Optional<DirectoryEntry> entry) {}

  /** Delivers the batch and acknowledges what is done with; gives how many were not. */
  CompletionStage<Integer> deliver(int bucket, List<InboxMessage> batch) {
    List<CompletableFuture<Optional<Prepared>>> prepared =
        batch.stream().map(message -> prepare(message).toCompletableFuture()).toList();
    return allOf(prepared).thenCompose(done -> send(bucket, batch, prepared));
  }

  private CompletionStage<Integer> send(
      int bucket, List<InboxMessage> batch, List<CompletableFuture<Optional<Prepared>>> prepared) {
    List<CompletableFuture<Boolean>> sent = new ArrayList<>(batch.size());
    // One after the other, so that requests of one scope arrive in their order.
    for (CompletableFuture<Optional<Prepared>> one : prepared) {
      sent.add(
          one.isCompletedExceptionally()
              ? CompletableFuture.completedFuture(false)
              : one.join()
                  .map(request -> send(request).exceptionally(this::failed).toCompletableFuture())
                  .orElseGet(() -> CompletableFuture.completedFuture(true)));
    }
    return allOf(sent)
        .thenCompose(done -> {
          List<String> finished = new ArrayList<>();
          for (int i = 0; i < sent.size(); i++) {
            if (sent.get(i).join()) {
              finished.add(batch.get(i).id());
            }
          }
          int left = batch.size() - finished.size();
          return finished.isEmpty()
              ? CompletableFuture.completedStage(left)
              : blackboards.inbox().acknowledge(bucket, finished).thenApply(acked -> left);
        });
  }

  /** Empty for a message that nothing can be done with. */
  private CompletionStage<Optional<Prepared>> prepare(InboxMessage message) {
    AgentId agent;
    RunRequest request;
    try {
      agent = AgentId.parse(message.recipient());
      request = RunRequest.fromJson(message.value());
      if (!message.key().equals(AgentRunProtocol.requestKey(request.runId().value()))
          || !message.scope().equals(agent.scope().namespace(request.namespace()))) {
        throw new IllegalArgumentException("it names another run, agent or namespace");
      }
    } catch (IllegalArgumentException | DateTimeException malformed) {
      return refuseMalformed(message, malformed.getMessage());
    }
    CompletionStage<Boolean> finished =
        blackboards
            .open(message.scope(), agent.persistenceId())
            .read(AgentRunProtocol.resultKey(request.runId().value()))
            .thenApply(Optional::isPresent);
    return finished.thenCombine(
        directory.find(agent),
        (isFinished, entry) ->
            Optional.of(new Prepared(message, agent, request, isFinished, entry)));
  }

  private CompletionStage<Boolean> send(Prepared prepared) {
    if (prepared.finished()) {
      return CompletableFuture.completedStage(true);
    }
    if (prepared.entry().isEmpty()) {
      return refuse(prepared, "there is no agent " + prepared.agent());
    }
    return door.accept(prepared.entry().get().unit(), prepared.agent(), prepared.request())
        .thenCompose(reply ->
            switch (reply) {
              case AcceptReply.Accepted accepted -> CompletableFuture.completedStage(true);
              case AcceptReply.Rejected rejected -> refuse(prepared, rejected.reason());
            });
  }

  private CompletionStage<Boolean> refuse(Prepared prepared, String reason) {
    AgentRun run = AgentRun.failed(prepared.request().runId(), reason, RunStats.NONE);
    return results.publish(prepared.message().scope(), run).thenApply(written -> true);
  }

  private CompletionStage<Optional<Prepared>> refuseMalformed(InboxMessage message, String why) {
    LOG.warn("request {} of {} is dropped: {}", message.key(), message.scope(), why);
    Optional<String> runId = AgentRunProtocol.requestId(message.key());
    if (runId.isEmpty()) {
      return CompletableFuture.completedStage(Optional.empty());
    }
    AgentRun run =
        AgentRun.failed(new RunId(runId.get()), "the request is malformed: " + why, RunStats.NONE);
    return results.publish(message.scope(), run).thenApply(written -> Optional.empty());
  }

  private boolean failed(Throwable failure) {
    LOG.debug("a request was not accepted and stays in the inbox", failure);
    return false;
  }

  private static CompletionStage<Void> allOf(List<? extends CompletableFuture<?>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
        .exceptionally(anyFailure -> null);
  }
}
