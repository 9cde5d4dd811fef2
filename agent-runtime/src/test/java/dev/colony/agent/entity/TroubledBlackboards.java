package dev.colony.agent.entity;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** Blackboards whose next operations fail as if the store were away, as often as a test says. */
record TroubledBlackboards(Blackboards sound, AtomicInteger failures) implements Blackboards {

  TroubledBlackboards(Blackboards sound) {
    this(sound, new AtomicInteger());
  }

  void failNext(int operations) {
    failures.set(operations);
  }

  private <T> CompletionStage<T> unless(Supplier<CompletionStage<T>> operation) {
    return failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0
        ? CompletableFuture.failedStage(new BlackboardException("away", null, true))
        : operation.get();
  }

  @Override
  public Blackboard open(Scope scope, String writer) {
    Blackboard board = sound.open(scope, writer);
    return new Blackboard() {
      @Override
      public Scope scope() {
        return scope;
      }

      @Override
      public CompletionStage<WriteResult> write(Write write) {
        return unless(() -> board.write(write));
      }

      @Override
      public CompletionStage<WriteResult> send(Write write, String recipient) {
        return board.send(write, recipient);
      }

      @Override
      public CompletionStage<Optional<Entry>> read(String key) {
        return unless(() -> board.read(key));
      }

      @Override
      public CompletionStage<List<Entry>> readAll(Collection<String> keys) {
        return unless(() -> board.readAll(keys));
      }

      @Override
      public CompletionStage<List<Entry>> query(String keyGlob, int limit) {
        return unless(() -> board.query(keyGlob, limit));
      }

      @Override
      public CompletionStage<Boolean> delete(String key) {
        return unless(() -> board.delete(key));
      }

      @Override
      public Flow.Publisher<BlackboardEvent> subscribe(String keyGlob, SubscribeFrom from) {
        return board.subscribe(keyGlob, from);
      }
    };
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
      public CompletionStage<List<InboxMessage>> pending(int bucket, int limit) {
        return unless(() -> inbox.pending(bucket, limit));
      }

      @Override
      public CompletionStage<Void> acknowledge(int bucket, Collection<String> ids) {
        return unless(() -> inbox.acknowledge(bucket, ids));
      }

      @Override
      public AutoCloseable onHint(IntConsumer listener) {
        return inbox.onHint(listener);
      }
    };
  }

  @Override
  public void close() {
    sound.close();
  }
}
