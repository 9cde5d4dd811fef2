package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.BoardStore;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.Commit;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.board.ScopeEventLog.History;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.redis.EntryReader.KeyWalk;
import dev.colony.blackboard.redis.RedisBlackboards.Backend;
import dev.colony.blackboard.redis.RedisFeeds.RedisEventLog;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.stream.Stream;

/** One scope. */
record RedisBoardStore(Backend backend, ScopeKeys keys) implements BoardStore {

  @Override
  public Scope scope() {
    return keys.scope();
  }

  @Override
  public CompletionStage<CommitOutcome> commit(Commit commit) {
    List<byte[]> arguments = CommitCall.arguments(commit, backend.codec(), backend.inbox());
    CompletionStage<String> reply =
        backend.unlessClosed(
            () -> backend.calls().change(ScopeCalls.COMMIT, keys, commit.writer(), arguments));
    OptionalLong ttl =
        commit.changes().stream()
            .flatMap(change ->
                switch (change) {
                  case Change.Put put -> put.ttl().stream();
                  case Change.Limit limit -> Stream.of(limit.ttl());
                  case Change.Remove remove -> Stream.<Duration>empty();
                })
            .mapToLong(CommitCall::millis)
            .min();
    if (ttl.isPresent()) {
      // From its end on, because then the entry is there; also if it failed, for it may be there.
      reply =
          reply.whenComplete(
              (done, failure) -> backend.expiry().expected(keys.bucket(), ttl.getAsLong()));
    }
    return reply.thenApply(CommitCall::outcome);
  }

  @Override
  public CompletionStage<List<Optional<Entry>>> read(
      List<String> wanted, Optional<Eviction> touch) {
    return backend.unlessClosed(() -> backend.reader().read(keys, wanted, touch));
  }

  @Override
  public CompletionStage<EntryPage> query(Query query) {
    return backend.unlessClosed(
        () -> KeyWalk.query(backend.connections(), backend.reader(), keys, query));
  }

  @Override
  public CompletionStage<Long> clear(String writer) {
    return change(ScopeCalls.CLEAR, writer, List.of())
        .thenCompose(answer -> {
          if (answer.equals(ScopeCalls.MORE)) {
            return clear(writer);
          }
          backend.expiry().due(keys.bucket());
          return CompletableFuture.completedStage(Long.parseLong(answer));
        });
  }

  @Override
  public CompletionStage<List<BlackboardEvent>> history(
      EventFilter filter, Position after, int limit) {
    return backend.unlessClosed(() -> History.read(log(), filter, after, limit));
  }

  @Override
  public void subscribe(
      EventFilter filter, SubscribeFrom from, Flow.Subscriber<? super BlackboardEvent> subscriber) {
    backend.feeds().subscribe(keys, filter, from, subscriber);
  }

  @Override
  public CompletionStage<Void> acknowledge(String subscription, Position position) {
    return backend.unlessClosed(() -> log().acknowledge(subscription, position));
  }

  @Override
  public CompletionStage<Boolean> forget(String subscription) {
    return backend.unlessClosed(() -> log().forget(subscription));
  }

  @Override
  public CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs) {
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(recipient.getBytes(UTF_8));
    keyGlobs.forEach(glob -> arguments.add(glob.pattern().getBytes(UTF_8)));
    return change(ScopeCalls.WAKE_ON, recipient, arguments).thenAccept(done -> {});
  }

  @Override
  public CompletionStage<ScopeStatistics> statistics() {
    return backend.unlessClosed(() -> {
      RedisClusterAsyncCommands<String, byte[]> redis = backend.connections().commands();
      CompletionStage<Long> entries = RedisFailure.reading(() -> redis.zcard(keys.index()));
      CompletionStage<Long> events = RedisFailure.reading(() -> redis.xlen(keys.events()));
      CompletionStage<Map<String, Position>> subscriptions =
          RedisFailure.reading(() -> redis.hgetall(keys.durable()))
              .thenApply(RedisBoardStore::positions);
      return log()
          .head()
          .thenCompose(head ->
              entries.thenCompose(count ->
                  events.thenCombine(
                      subscriptions,
                      (stored, durable) -> new ScopeStatistics(count, stored, head, durable))));
    });
  }

  private static Map<String, Position> positions(Map<String, byte[]> subscriptions) {
    Map<String, Position> positions = new HashMap<>();
    subscriptions.forEach(
        (name, position) -> positions.put(name, RedisEventLog.position(position)));
    return Map.copyOf(positions);
  }

  private CompletionStage<String> change(
      RedisScript script, String writer, List<byte[]> arguments) {
    return backend.unlessClosed(() -> backend.calls().change(script, keys, writer, arguments));
  }

  private RedisEventLog log() {
    return new RedisEventLog(backend.connections(), backend.calls(), keys, backend.codec());
  }
}
