package dev.colony.blackboard.memory;

import static java.util.concurrent.CompletableFuture.completedStage;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.key.EntryKey;
import dev.colony.blackboard.key.KeyGlob;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** One scope in memory, for one writer. */
record MemoryBlackboard(InMemoryBlackboards backend, Scope scope, MemoryScope memory, String writer)
    implements Blackboard {

  private static final Runnable NOTHING = () -> {};

  @Override
  public CompletionStage<WriteResult> write(Write write) {
    JsonNode value = backend.checked(EntryKey.check(write.key()), write.value());
    return completedStage(memory.write(write, value, writer, now(), NOTHING));
  }

  @Override
  public CompletionStage<WriteResult> send(Write write, String recipient) {
    Objects.requireNonNull(recipient, "recipient");
    JsonNode value = backend.checked(EntryKey.check(write.key()), write.value());
    return completedStage(
        memory.write(
            write, value, writer, now(), () -> backend.send(scope, write.key(), value, recipient)));
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return completedStage(memory.read(EntryKey.check(key), now()));
  }

  @Override
  public CompletionStage<List<Entry>> readAll(Collection<String> keys) {
    keys.forEach(EntryKey::check);
    return completedStage(
        keys.stream().map(key -> memory.read(key, now())).flatMap(Optional::stream).toList());
  }

  @Override
  public CompletionStage<List<Entry>> query(String keyGlob, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1, but is " + limit);
    }
    return completedStage(memory.query(new KeyGlob(keyGlob), limit, now()));
  }

  @Override
  public CompletionStage<Boolean> delete(String key) {
    return completedStage(memory.delete(EntryKey.check(key), writer, now()));
  }

  @Override
  public Flow.Publisher<BlackboardEvent> subscribe(String keyGlob, SubscribeFrom from) {
    KeyGlob glob = new KeyGlob(keyGlob);
    return subscriber -> backend.subscribe(memory, glob, from, Objects.requireNonNull(subscriber));
  }

  private Instant now() {
    return backend.clock().instant();
  }
}
