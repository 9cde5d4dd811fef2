package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
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
import dev.colony.blackboard.board.BoardStore.CommitCondition;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.board.InboxBucket.InboxRoom;
import dev.colony.blackboard.board.ScopeEventLog.History;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.redis.EntryReader.KeyWalk;
import dev.colony.blackboard.redis.RedisBlackboards.Backend;
import dev.colony.blackboard.redis.RedisFeeds.RedisEventLog;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
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
    List<BoardPayloads.Value> values = CommitCall.values(commit, backend.codec());
    CompletionStage<String> reply =
        backend.unlessClosed(
            () -> backend.payloads().send(keys, values, stubs -> send(commit, stubs)));
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

  private CompletionStage<String> send(Commit commit, List<BoardPayloads.Value> values) {
    return backend
        .calls()
        .change(
            ScopeCalls.COMMIT,
            keys,
            commit.writer(),
            CommitCall.arguments(commit, values, backend.codec(), backend.inbox()));
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
    return new RedisEventLog(
        backend.connections(), backend.calls(), keys, backend.codec(), backend.payloads());
  }

  /** A commit as arguments of {@code commit.lua}, and its outcome as that returns it. */
  static final class CommitCall {

    private CommitCall() {}

    /**
     * The values that are to be written, in their order.
     *
     * @throws IllegalArgumentException if one is over the limit
     */
    static List<BoardPayloads.Value> values(Commit commit, ValueCodec codec) {
      List<BoardPayloads.Value> values = new ArrayList<>(commit.changes().size());
      for (Change change : commit.changes()) {
        if (change instanceof Change.Put put) {
          values.add(new BoardPayloads.Value(put, codec.value(put.key(), put.value())));
        }
      }
      return values;
    }

    /**
     * @param values those of the commit, or stubs in their place
     */
    static List<byte[]> arguments(
        Commit commit,
        List<BoardPayloads.Value> values,
        ValueCodec codec,
        BlackboardSettings.Inbox inbox) {
      Iterator<BoardPayloads.Value> written = values.iterator();
      List<String> offeredTo = offeredTo(commit);
      List<byte[]> arguments = new ArrayList<>();
      arguments.add(ascii(commit.eviction().map(CommitCall::eviction).orElse("")));
      arguments.add(ascii(Integer.toString(commit.expectations().size() + offeredTo.size())));
      for (CommitCondition expectation : commit.expectations()) {
        switch (expectation) {
          case CommitCondition.Version version -> {
            arguments.add(ascii("v"));
            arguments.add(version.key().getBytes(UTF_8));
            arguments.add(ascii(Long.toString(version.version())));
          }
          case CommitCondition.WrittenAt at -> {
            arguments.add(ascii("p"));
            arguments.add(at.key().getBytes(UTF_8));
            arguments.add(ascii(at.position().toString()));
          }
        }
      }
      for (String recipient : offeredTo) {
        arguments.add(ascii("b"));
        arguments.add(recipient.getBytes(UTF_8));
        arguments.add(
            ascii(
                "%d %d %d"
                    .formatted(
                        inbox.mostPerRecipient(), inbox.mostPerTenant(), inbox.mostPerBucket())));
      }
      for (Change change : commit.changes()) {
        switch (change) {
          case Change.Put put -> add(arguments, put, written.next().json(), commit.writer(), codec);
          case Change.Limit limit -> {
            arguments.add(ascii("x"));
            arguments.add(limit.key().getBytes(UTF_8));
            arguments.add(ascii(Long.toString(millis(limit.ttl()))));
          }
          case Change.Remove remove -> {
            arguments.add(ascii("r"));
            arguments.add(remove.key().getBytes(UTF_8));
          }
        }
      }
      return arguments;
    }

    private static List<String> offeredTo(Commit commit) {
      return commit.changes().stream()
          .filter(change -> change instanceof Change.Put put && put.offered())
          .map(change -> ((Change.Put) change).recipient().orElseThrow())
          .toList();
    }

    private static void add(
        List<byte[]> arguments, Change.Put put, byte[] value, String writer, ValueCodec codec) {
      boolean plain = put.tags().isEmpty() && put.ttl().isEmpty();
      arguments.add(
          ascii(put.offered() ? "B" : put.recipient().isPresent() ? "S" : plain ? "w" : "W"));
      arguments.add(put.key().getBytes(UTF_8));
      byte[] metadata = codec.metadata(put.metadata());
      arguments.addAll(List.of(Frame.parts(put.tags(), writer, put.key(), metadata, value)));
      if (!plain || put.recipient().isPresent()) {
        arguments.add(Frame.joined(put.tags()));
        arguments.add(ascii(put.ttl().map(ttl -> Long.toString(millis(ttl))).orElse("")));
      }
      put.recipient().ifPresent(recipient -> arguments.add(recipient.getBytes(UTF_8)));
    }

    /** Of a time to live, in whole milliseconds: none is shortened. */
    static long millis(Duration ttl) {
      return ttl.plusNanos(999_999).toMillis();
    }

    private static String eviction(Eviction eviction) {
      char order =
          switch (eviction.order()) {
            case LEAST_RECENTLY_USED -> 'R';
            case LEAST_FREQUENTLY_USED -> 'F';
            case OLDEST -> 'O';
          };
      return order + " " + eviction.maxEntries();
    }

    /**
     * @throws BlackboardException if too much waits in the inbox
     */
    static CommitOutcome outcome(String reply) {
      if (reply.startsWith("B ")) {
        String[] full = reply.split(" ", 4);
        throw InboxRoom.full(InboxRoom.Bound.of(full[1]), Long.parseLong(full[2]), full[3]);
      }
      if (reply.startsWith("F ")) {
        int key = reply.indexOf(' ', 2) + 1;
        return new CommitOutcome.Failed(
            reply.substring(key), Long.parseLong(reply.substring(2, key - 1)));
      }
      String[] parts = reply.split(" ");
      Position head = Position.parse(parts[1]);
      List<Optional<CommitOutcome.Changed>> changes = new ArrayList<>(parts.length - 2);
      for (int i = 2; i < parts.length; i++) {
        changes.add(changed(parts[i], head.millis()));
      }
      return new CommitOutcome.Done(List.copyOf(changes), head);
    }

    /** All events of a commit are of one millisecond. */
    private static Optional<CommitOutcome.Changed> changed(String text, long millis) {
      int colon = text.indexOf(':');
      return colon < 0
          ? Optional.empty()
          : Optional.of(
              new CommitOutcome.Changed(
                  Long.parseLong(text.substring(0, colon)),
                  new Position(millis, Long.parseLong(text.substring(colon + 1)))));
    }

    private static byte[] ascii(String text) {
      return text.getBytes(US_ASCII);
    }
  }
}
