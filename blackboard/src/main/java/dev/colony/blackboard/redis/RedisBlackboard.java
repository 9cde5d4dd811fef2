package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.key.EntryKey;
import dev.colony.blackboard.key.KeyGlob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** One scope in Redis, for one writer. */
final class RedisBlackboard implements Blackboard {

  private final RedisBlackboards backend;
  private final ScopeKeys keys;
  private final String writer;

  RedisBlackboard(RedisBlackboards backend, ScopeKeys keys, String writer) {
    this.backend = backend;
    this.keys = keys;
    this.writer = Objects.requireNonNull(writer, "writer");
  }

  @Override
  public Scope scope() {
    return keys.scope();
  }

  @Override
  public CompletionStage<WriteResult> write(Write write) {
    return written(scriptKeys(write.key()), writeArguments(write));
  }

  @Override
  public CompletionStage<WriteResult> send(Write write, String recipient) {
    List<String> redisKeys = scriptKeys(write.key());
    redisKeys.add(ScopeKeys.inbox(keys.bucket()));
    List<byte[]> arguments = writeArguments(write);
    arguments.add(bytes(recipient));
    arguments.add(bytes(keys.scope().path()));
    arguments.add(bytes(ScopeKeys.HINTS));
    arguments.add(bytes(Integer.toString(keys.bucket())));
    return written(redisKeys, arguments);
  }

  private CompletionStage<WriteResult> written(List<String> redisKeys, List<byte[]> arguments) {
    return backend.run(RedisBlackboards.WRITE, redisKeys, arguments).thenApply(this::result);
  }

  private List<byte[]> writeArguments(Write write) {
    List<byte[]> arguments = callArguments(write.key());
    arguments.add(backend.codec().value(write.key(), write.value()));
    arguments.add(backend.codec().tags(write.tags()));
    arguments.add(backend.codec().metadata(write.metadata()));
    arguments.add(bytes(write.ttl().map(ttl -> Long.toString(millis(ttl))).orElse("")));
    arguments.add(
        bytes(
            write.expectedVersion().isPresent()
                ? Long.toString(write.expectedVersion().getAsLong())
                : ""));
    addEventArguments(arguments);
    return arguments;
  }

  private static long millis(Duration ttl) {
    return Math.max(1, ttl.toMillis());
  }

  /** Each call has an id of its own, under which the script remembers what it did. */
  private List<byte[]> callArguments(String key) {
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(bytes(backend.nextCall()));
    arguments.add(bytes(Long.toString(backend.settings().repeatWindow().toMillis() * 2)));
    arguments.add(bytes(key));
    return arguments;
  }

  private void addEventArguments(List<byte[]> arguments) {
    arguments.add(bytes(writer));
    arguments.add(bytes(Integer.toString(backend.settings().eventsKept())));
    arguments.add(bytes(keys.channel()));
  }

  private List<String> scriptKeys(String key) {
    return new ArrayList<>(
        List.of(
            keys.entry(EntryKey.check(key)),
            keys.index(),
            keys.expiring(),
            keys.events(),
            keys.head(),
            keys.repeats(backend.period())));
  }

  private WriteResult result(String reply) {
    String[] parts = reply.split(" ");
    return switch (parts[0]) {
      case "W" -> new WriteResult.Written(Long.parseLong(parts[1]), Position.parse(parts[2]));
      case "C" -> new WriteResult.VersionConflict(Long.parseLong(parts[1]));
      default -> throw new IllegalStateException("not a result: " + reply);
    };
  }

  @Override
  public CompletionStage<Boolean> delete(String key) {
    List<byte[]> arguments = callArguments(EntryKey.check(key));
    addEventArguments(arguments);
    return backend
        .run(RedisBlackboards.DELETE, scriptKeys(key), arguments)
        .thenApply(reply -> reply.equals("D"));
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return backend.reader().read(keys, EntryKey.check(key));
  }

  @Override
  public CompletionStage<List<Entry>> readAll(Collection<String> wanted) {
    wanted.forEach(EntryKey::check);
    return backend.reader().readAll(keys, List.copyOf(wanted));
  }

  @Override
  public CompletionStage<List<Entry>> query(String keyGlob, int limit) {
    return backend.reader().query(keys, new KeyGlob(keyGlob), limit);
  }

  @Override
  public Flow.Publisher<BlackboardEvent> subscribe(String keyGlob, SubscribeFrom from) {
    KeyGlob glob = new KeyGlob(keyGlob);
    return subscriber ->
        backend.feeds().subscribe(keys, glob, from, Objects.requireNonNull(subscriber));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
