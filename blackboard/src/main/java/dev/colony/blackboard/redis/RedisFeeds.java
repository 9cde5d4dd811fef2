package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.Feed;
import dev.colony.blackboard.board.InboxHints;
import dev.colony.blackboard.board.ScopeEventLog;
import dev.colony.blackboard.value.ValueCodec;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is pushed to this process, over one pub/sub connection: the events of the scopes that have
 * subscribers here, the inbox hints and the messages of topics.
 */
final class RedisFeeds implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RedisFeeds.class);

  private record OpenFeed(ScopeKeys keys, Feed feed, CompletionStage<Void> pushing) {}

  private final RedisConnections connections;
  private final ScopeCalls calls;
  private final ValueCodec codec;
  private final BoardPayloads payloads;
  private final BlackboardSettings.Subscriber limits;
  private final int buckets;
  private final Executor executor;
  private final InboxHints hints;
  private final Heads heads;
  private final RedisTopics topics;
  private final StatefulRedisPubSubConnection<String, byte[]> pubSub;
  private final Map<String, OpenFeed> feeds = new ConcurrentHashMap<>();
  private boolean closed;

  RedisFeeds(
      RedisConnections connections,
      ScopeCalls calls,
      ValueCodec codec,
      BoardPayloads payloads,
      BlackboardSettings settings,
      Executor executor) {
    this.payloads = payloads;
    this.connections = connections;
    this.calls = calls;
    this.codec = codec;
    this.limits = settings.bounds().subscriber();
    this.buckets = settings.buckets();
    this.executor = executor;
    this.hints = new InboxHints(executor);
    this.heads = new Heads(connections, buckets);
    this.pubSub = connections.connectPubSub();
    this.pubSub.addListener(new Pushes());
    this.pubSub.async().subscribe(ScopeKeys.HINTS);
    this.topics = new RedisTopics(connections, pubSub, codec, settings);
  }

  InboxHints hints() {
    return hints;
  }

  RedisTopics topics() {
    return topics;
  }

  /** Under the lock, so that subscribing to a channel and leaving it keep their order. */
  synchronized void subscribe(
      ScopeKeys keys,
      EventFilter filter,
      SubscribeFrom from,
      Flow.Subscriber<? super BlackboardEvent> subscriber) {
    if (closed) {
      Feed none = new Feed(log(keys), limits, executor, feed -> {});
      none.subscribe(filter, from, subscriber, RedisFailure.closed());
      return;
    }
    OpenFeed open = feeds.computeIfAbsent(keys.base(), channel -> open(keys));
    open.feed().subscribe(filter, from, subscriber, open.pushing());
  }

  private OpenFeed open(ScopeKeys keys) {
    Feed feed = new Feed(log(keys), limits, executor, empty -> leave(keys));
    return new OpenFeed(keys, feed, RedisFailure.translate(pubSub.async().subscribe(keys.base())));
  }

  private RedisEventLog log(ScopeKeys keys) {
    return new RedisEventLog(connections, calls, keys, codec, payloads);
  }

  private synchronized void leave(ScopeKeys keys) {
    OpenFeed open = feeds.get(keys.base());
    if (open != null && open.feed().isEmpty()) {
      feeds.remove(keys.base());
      if (!closed) {
        pubSub.async().unsubscribe(keys.base());
      }
    }
  }

  /** Lets every subscription look for events whose push was lost. */
  void sweep() {
    List.copyOf(feeds.values()).forEach(this::check);
  }

  private void check(OpenFeed open) {
    open.feed().check(() -> heads.of(open.keys()));
  }

  @Override
  public void close() {
    List<OpenFeed> open;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      open = List.copyOf(feeds.values());
      feeds.clear();
    }
    topics.close();
    pubSub.close();
    open.forEach(each -> each.feed().close());
  }

  private final class Pushes extends RedisPubSubAdapter<String, byte[]> {

    @Override
    public void message(String channel, byte[] message) {
      try {
        if (channel.equals(ScopeKeys.HINTS)) {
          hints.hint(Integer.parseInt(new String(message, StandardCharsets.US_ASCII)));
          return;
        }
        OpenFeed open = feeds.get(channel);
        if (open != null) {
          Frame event = new Frame(open.keys().scope(), codec, message);
          if (event.outside()) {
            // It has to be read, as one whose push was lost.
            check(open);
          } else {
            open.feed().push(event);
          }
        }
      } catch (RuntimeException foreign) {
        LOG.warn("a message on {} is not ours: {}", channel, foreign.toString());
      }
    }

    /**
     * Also after each reconnect: whatever was pushed meanwhile is lost and has to be looked for.
     */
    @Override
    public void subscribed(String channel, long count) {
      if (channel.equals(ScopeKeys.HINTS)) {
        for (int bucket = 0; bucket < buckets; bucket++) {
          hints.hint(bucket);
        }
        return;
      }
      OpenFeed open = feeds.get(channel);
      if (open != null) {
        check(open);
      }
    }
  }

  /**
   * Asks for the heads of many logs with few commands, one at a time for a bucket: what is asked
   * for while one is under way goes together into the next. So a sweep over 10,000 scopes costs
   * Redis some dozens of commands.
   */
  static final class Heads {

    private static final int MOST = 1_000;

    private static final RedisScript HEADS =
        RedisScript.resource(Heads.class, "heads.lua", ScriptOutputType.MULTI);

    private record Question(String scope, CompletableFuture<Position> answer) {}

    private static final class Bucket {
      final Queue<Question> waiting = new ArrayDeque<>();
      boolean asking;
    }

    private final RedisConnections connections;
    private final List<Bucket> buckets = new ArrayList<>();

    Heads(RedisConnections connections, int buckets) {
      this.connections = connections;
      for (int i = 0; i < buckets; i++) {
        this.buckets.add(new Bucket());
      }
    }

    /** The head of a scope's log, not older than this call. */
    CompletionStage<Position> of(ScopeKeys keys) {
      Question question = new Question(keys.base(), new CompletableFuture<>());
      Bucket bucket = buckets.get(keys.bucket());
      synchronized (bucket) {
        bucket.waiting.add(question);
      }
      ask(bucket);
      return question.answer();
    }

    private void ask(Bucket bucket) {
      List<Question> questions = new ArrayList<>();
      synchronized (bucket) {
        if (bucket.asking || bucket.waiting.isEmpty()) {
          return;
        }
        bucket.asking = true;
        while (!bucket.waiting.isEmpty() && questions.size() < MOST) {
          questions.add(bucket.waiting.remove());
        }
      }
      String[] scopes = questions.stream().map(Question::scope).toArray(String[]::new);
      RedisFailure.translate(HEADS.<List<Object>>run(connections.commands(), scopes))
          .whenComplete((heads, failure) -> {
            synchronized (bucket) {
              bucket.asking = false;
            }
            ask(bucket);
            for (int i = 0; i < scopes.length; i++) {
              CompletableFuture<Position> answer = questions.get(i).answer();
              if (failure == null) {
                answer.complete(RedisEventLog.position((byte[]) heads.get(i)));
              } else {
                answer.completeExceptionally(failure);
              }
            }
          });
    }
  }

  /** The stream of a scope, and how far its durable subscriptions are. */
  record RedisEventLog(
      RedisConnections connections,
      ScopeCalls calls,
      ScopeKeys keys,
      ValueCodec codec,
      BoardPayloads payloads)
      implements ScopeEventLog {

    private static final RedisScript EVENTS =
        RedisScript.resource(RedisEventLog.class, "events.lua", ScriptOutputType.MULTI);

    /** Sent at once: what is written through the same connections afterwards comes after it. */
    @Override
    public CompletionStage<Position> head() {
      return RedisFailure.reading(
          () -> connections.commands().hget(keys.base(), "p").thenApply(RedisEventLog::position));
    }

    /**
     * @param text null where there never was an event
     */
    static Position position(byte[] text) {
      return text == null ? Position.BEGINNING : Position.parse(new String(text, US_ASCII));
    }

    @Override
    public CompletionStage<Page> read(Position after, int limit, long maxBytes) {
      CompletionStage<List<Object>> reply =
          EVENTS.run(
              connections.commands(),
              new String[] {keys.base()},
              bytes(after.toString()),
              bytes(Integer.toString(limit)),
              bytes(Long.toString(maxBytes)));
      return RedisFailure.translate(reply)
          .thenCompose(found -> {
            List<Frame> frames =
                found.stream()
                    .skip(1)
                    .map(frame -> new Frame(keys.scope(), codec, (byte[]) frame))
                    .toList();
            return payloads
                .fetchedEvents(frames, maxBytes)
                .thenApply(whole ->
                    new Page(
                        List.copyOf(whole),
                        whole.size() == frames.size() && found.getFirst().equals(1L)));
          });
    }

    @Override
    public CompletionStage<Position> acknowledged(SubscribeFrom.Durable durable) {
      List<byte[]> arguments = durable("register", durable.name());
      if (durable.first() instanceof SubscribeFrom.After after) {
        arguments.add(bytes(after.position().toString()));
      }
      return calls.change(ScopeCalls.DURABLE, keys, "", arguments).thenApply(Position::parse);
    }

    CompletionStage<Void> acknowledge(String name, Position position) {
      List<byte[]> arguments = durable("acknowledge", name);
      arguments.add(bytes(position.toString()));
      return calls.change(ScopeCalls.DURABLE, keys, "", arguments).thenAccept(now -> {});
    }

    CompletionStage<Boolean> forget(String name) {
      return calls
          .change(ScopeCalls.DURABLE, keys, "", durable("forget", name))
          .thenApply("1"::equals);
    }

    private static List<byte[]> durable(String what, String name) {
      List<byte[]> arguments = new ArrayList<>();
      arguments.add(bytes(what));
      arguments.add(bytes(name));
      return arguments;
    }

    private static byte[] bytes(String text) {
      return text.getBytes(UTF_8);
    }
  }
}
