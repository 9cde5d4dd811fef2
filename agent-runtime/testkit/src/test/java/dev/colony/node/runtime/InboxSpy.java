package dev.colony.node.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.InboxStatistics;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Topics;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;

/** Blackboards that note what is read of the inbox, lose hints, and acknowledge late or never. */
final class InboxSpy implements Blackboards {

  /** What a reader got, each as often as it got it. */
  final List<InboxMessage> seen = new CopyOnWriteArrayList<>();

  /** What another program has made of the requests. */
  volatile UnaryOperator<JsonNode> arrives = UnaryOperator.identity();

  volatile boolean losesHints;
  volatile boolean losesAcknowledgements;

  /** When what is acknowledged goes on to the blackboard, or is lost. */
  volatile CompletableFuture<Void> acknowledges = CompletableFuture.completedFuture(null);

  /** What was acknowledged while that was still open. */
  final List<InboxMessage> held = new CopyOnWriteArrayList<>();

  private final Blackboards sound;

  InboxSpy(Blackboards sound) {
    this.sound = sound;
  }

  private InboxMessage changed(InboxMessage message) {
    return message instanceof InboxMessage.Request as
        ? new InboxMessage.Request(
            as.id(),
            as.recipient(),
            as.scope(),
            as.key(),
            as.position(),
            arrives.apply(as.value()),
            as.offered())
        : message;
  }

  @Override
  public Blackboard open(Scope scope, String writer, BoardPolicies policies) {
    return sound.open(scope, writer, policies);
  }

  @Override
  public CompletionStage<List<Scope>> scopes(Optional<Scope> after, int limit) {
    return sound.scopes(after, limit);
  }

  @Override
  public CompletionStage<Trimmed> trim(
      int bucket, Optional<Scope> after, int scopes, Duration age) {
    return sound.trim(bucket, after, scopes, age);
  }

  @Override
  public InstantSource clock() {
    return sound.clock();
  }

  @Override
  public Topics topics() {
    return sound.topics();
  }

  @Override
  public BlackboardCounters counters() {
    return sound.counters();
  }

  @Override
  public void close() {
    sound.close();
  }

  @Override
  public Inbox inbox() {
    Inbox inbox = sound.inbox();
    return new Inbox() {
      @Override
      public int buckets() {
        return inbox.buckets();
      }

      @Override
      public CompletionStage<List<InboxMessage>> pending(
          int bucket, Optional<String> after, int limit) {
        return noted(inbox.pending(bucket, after, limit));
      }

      @Override
      public CompletionStage<List<InboxMessage>> read(int bucket, List<String> ids) {
        return noted(inbox.read(bucket, ids));
      }

      private CompletionStage<List<InboxMessage>> noted(CompletionStage<List<InboxMessage>> read) {
        return read.thenApply(messages -> {
          seen.addAll(messages);
          return messages.stream().map(InboxSpy.this::changed).toList();
        });
      }

      @Override
      public CompletionStage<InboxStatistics> statistics() {
        return inbox.statistics();
      }

      @Override
      public CompletionStage<Failures> failed(int bucket, String id, String attempt) {
        return inbox.failed(bucket, id, attempt);
      }

      @Override
      public CompletionStage<Boolean> bury(
          int bucket, InboxMessage.Request request, int least, String reason) {
        return inbox.bury(bucket, request, least, reason);
      }

      @Override
      public CompletionStage<List<DeadLetter>> deadLetters(
          int bucket, Optional<String> after, int limit) {
        return inbox.deadLetters(bucket, after, limit);
      }

      @Override
      public CompletionStage<Optional<DeadLetter>> deadLetter(int bucket, String id) {
        return inbox.deadLetter(bucket, id);
      }

      @Override
      public CompletionStage<Boolean> revive(int bucket, String id) {
        return inbox.revive(bucket, id);
      }

      @Override
      public CompletionStage<Boolean> drop(int bucket, String id) {
        return inbox.drop(bucket, id);
      }

      @Override
      public CompletionStage<Void> trim(int bucket) {
        return inbox.trim(bucket);
      }

      @Override
      public CompletionStage<Void> hint(int bucket) {
        return inbox.hint(bucket);
      }

      @Override
      public CompletionStage<Void> acknowledge(
          int bucket, Collection<? extends InboxMessage> messages) {
        CompletableFuture<Void> until = acknowledges;
        if (!until.isDone()) {
          held.addAll(messages);
        }
        return until.thenCompose(open ->
            losesAcknowledgements
                ? CompletableFuture.failedStage(
                    new BlackboardException(BlackboardException.Reason.TIMEOUT, "no answer"))
                : inbox.acknowledge(bucket, messages));
      }

      @Override
      public AutoCloseable onHint(IntConsumer listener) {
        return inbox.onHint(bucket -> {
          if (!losesHints) {
            listener.accept(bucket);
          }
        });
      }
    };
  }
}
