package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.InboxStatistics;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.RedisBlackboards.Backend;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A stream per bucket: what is in it is not acknowledged. A message has r (the recipient of a
 * request) or w (of a wake), s the scope, and e the frame of the request's entry or k the key and p
 * the position of the write that wakes. A request that was offered has c, 1. What is known of
 * failed deliveries and of dead letters is beside the stream: fail.lua, bury.lua.
 */
record RedisInbox(Backend backend, int buckets) implements Inbox {

  private static final Logger LOG = LoggerFactory.getLogger(RedisInbox.class);

  static final RedisScript SETTLE =
      RedisScript.resources(
          RedisInbox.class,
          ScriptOutputType.INTEGER,
          "frame.lua",
          "scope.lua",
          "wakes.lua",
          "settle.lua");

  static final RedisScript TAKE = script(ScriptOutputType.INTEGER, "waiting.lua", "take.lua");
  static final RedisScript FAIL = script(ScriptOutputType.VALUE, "frame.lua", "fail.lua");
  static final RedisScript BURY =
      script(ScriptOutputType.INTEGER, "frame.lua", "lapsed.lua", "waiting.lua", "bury.lua");
  static final RedisScript LAPSE =
      script(ScriptOutputType.INTEGER, "frame.lua", "lapsed.lua", "lapse.lua");
  static final RedisScript REVIVE = script(ScriptOutputType.INTEGER, "revive.lua");

  private static RedisScript script(ScriptOutputType output, String... names) {
    return RedisScript.resources(RedisInbox.class, output, names);
  }

  @Override
  public CompletionStage<List<InboxMessage>> pending(
      int bucket, Optional<String> after, int limit) {
    return range(inbox(bucket), after, limit)
        .thenCompose(entries -> {
          List<InboxMessage> messages = readable(bucket, entries);
          int passedOver = entries.size() - messages.size();
          // A page that is not full would look like the end.
          return passedOver == 0
              ? CompletableFuture.completedStage(messages)
              : pending(bucket, Optional.of(entries.getLast().getId()), passedOver)
                  .thenApply(more -> Stream.of(messages, more).flatMap(List::stream).toList());
        });
  }

  @Override
  public CompletionStage<List<InboxMessage>> read(int bucket, List<String> ids) {
    String stream = inbox(bucket);
    return all(ids.stream().map(id -> one(stream, id)).toList())
        .thenApply(found -> readable(bucket, found.stream().flatMap(Optional::stream).toList()));
  }

  private CompletionStage<Optional<StreamMessage<String, byte[]>>> one(String stream, String id) {
    return backend.unlessClosed(() ->
        RedisFailure.reading(() -> redis().xrange(stream, Range.create(id, id), Limit.from(1)))
            .thenApply(found -> found.stream().findFirst()));
  }

  private CompletionStage<List<StreamMessage<String, byte[]>>> range(
      String stream, Optional<String> after, int limit) {
    Range.Boundary<String> from =
        after.map(Range.Boundary::excluding).orElse(Range.Boundary.unbounded());
    return backend.unlessClosed(() ->
        RedisFailure.reading(() ->
            redis()
                .xrange(stream, Range.from(from, Range.Boundary.unbounded()), Limit.from(limit))));
  }

  @Override
  public CompletionStage<InboxStatistics> statistics() {
    return all(IntStream.range(0, buckets).mapToObj(this::statistics).toList())
        .thenApply(all ->
            all.stream()
                .reduce(new InboxStatistics(0, Optional.empty(), 0), InboxStatistics::plus));
  }

  private CompletionStage<InboxStatistics> statistics(int bucket) {
    String stream = inbox(bucket);
    String dead = ScopeKeys.dead(bucket);
    CompletionStage<Long> messages = length(stream);
    CompletionStage<Optional<Instant>> oldest =
        range(stream, Optional.empty(), 1)
            .thenApply(first -> first.stream().findFirst().map(one -> time(one.getId())));
    return messages
        .thenCombine(length(dead), (count, letters) -> new long[] {count, letters})
        .thenCombine(oldest, (counts, since) -> new InboxStatistics(counts[0], since, counts[1]));
  }

  private CompletionStage<Long> length(String stream) {
    return backend.unlessClosed(() -> RedisFailure.<Long>reading(() -> redis().xlen(stream)));
  }

  private static <T> CompletionStage<List<T>> all(List<CompletionStage<T>> stages) {
    List<CompletableFuture<T>> asked =
        stages.stream().map(CompletionStage::toCompletableFuture).toList();
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(done -> asked.stream().map(CompletableFuture::join).toList());
  }

  @Override
  public CompletionStage<Void> acknowledge(
      int bucket, Collection<? extends InboxMessage> messages) {
    String stream = inbox(bucket);
    List<byte[]> requests = new ArrayList<>();
    List<byte[]> wakes = new ArrayList<>();
    for (InboxMessage message : messages) {
      switch (message) {
        case InboxMessage.Request request -> {
          requests.add(request.id().getBytes(UTF_8));
          requests.add(request.recipient().getBytes(UTF_8));
          requests.add(request.scope().path().getBytes(UTF_8));
          requests.add((request.offered() ? "1" : "0").getBytes(UTF_8));
        }
        case InboxMessage.Wake wake -> {
          wakes.add(wake.id().getBytes(UTF_8));
          wakes.add(wake.scope().path().getBytes(UTF_8));
          wakes.add(wake.recipient().getBytes(UTF_8));
          wakes.add(wake.position().toString().getBytes(UTF_8));
        }
      }
    }
    return backend.unlessClosed(
        () -> take(stream, requests).thenCombine(settle(stream, wakes), (taken, settled) -> null));
  }

  private CompletionStage<?> take(String stream, List<byte[]> requests) {
    return requests.isEmpty()
        ? CompletableFuture.completedStage(null)
        : RedisFailure.translate(TAKE.run(redis(), new String[] {stream}, bytes(requests)));
  }

  private CompletionStage<?> settle(String stream, List<byte[]> wakes) {
    if (wakes.isEmpty()) {
      return CompletableFuture.completedStage(null);
    }
    wakes.add(backend.now());
    return RedisFailure.translate(SETTLE.run(redis(), new String[] {stream}, bytes(wakes)));
  }

  private static byte[][] bytes(List<byte[]> arguments) {
    return arguments.toArray(byte[][]::new);
  }

  /** Runs a script that frame.lua begins. */
  private <T> CompletionStage<T> timed(RedisScript script, int bucket, String... arguments) {
    String[] keys = {inbox(bucket)};
    Stream<byte[]> texts = Stream.of(arguments).map(text -> text.getBytes(UTF_8));
    return backend.unlessClosed(() ->
        RedisFailure.translate(
            script.run(
                redis(),
                keys,
                Stream.concat(texts, Stream.of(backend.now())).toArray(byte[][]::new))));
  }

  @Override
  public CompletionStage<Failures> failed(int bucket, String id, String attempt) {
    return this.<byte[]>timed(FAIL, bucket, id, attempt)
        .thenApply(reply -> {
          String[] parts = new String(reply, UTF_8).split(" ");
          return new Failures(Long.parseLong(parts[0]), millis(parts[1]), millis(parts[2]));
        });
  }

  @Override
  public CompletionStage<Boolean> bury(
      int bucket, InboxMessage.Request request, int least, String reason) {
    BlackboardSettings.Inbox settings = backend.inbox();
    return this.<Long>timed(
            BURY,
            bucket,
            request.id(),
            reason,
            Integer.toString(settings.deadLetters()),
            Long.toString(settings.keepDeadLetters().toMillis()),
            Integer.toString(least))
        .thenApply(moved -> moved == 1);
  }

  @Override
  public CompletionStage<List<DeadLetter>> deadLetters(
      int bucket, Optional<String> after, int limit) {
    return trim(bucket)
        .thenCompose(done -> range(ScopeKeys.dead(bucket), after, limit))
        .thenApply(letters -> letters.stream().map(one -> letter(bucket, one)).toList());
  }

  @Override
  public CompletionStage<Optional<DeadLetter>> deadLetter(int bucket, String id) {
    Objects.checkIndex(bucket, buckets);
    return one(ScopeKeys.dead(bucket), id)
        .thenApply(found -> found.map(letter -> letter(bucket, letter)));
  }

  @Override
  public CompletionStage<Boolean> revive(int bucket, String id) {
    return backend.unlessClosed(() ->
        RedisFailure.<Long>translate(
                REVIVE.run(redis(), new String[] {inbox(bucket)}, id.getBytes(UTF_8)))
            .thenApply(moved -> moved == 1));
  }

  @Override
  public CompletionStage<Boolean> drop(int bucket, String id) {
    Objects.checkIndex(bucket, buckets);
    return backend.unlessClosed(() ->
        RedisFailure.<Long>reading(() -> redis().xdel(ScopeKeys.dead(bucket), id))
            .thenApply(removed -> removed == 1));
  }

  @Override
  public CompletionStage<Void> trim(int bucket) {
    String kept = Long.toString(backend.inbox().keepDeadLetters().toMillis());
    return this.<Long>timed(LAPSE, bucket, kept)
        .thenCompose(
            removed -> removed == 0 ? CompletableFuture.completedStage(null) : trim(bucket));
  }

  @Override
  public CompletionStage<Void> hint(int bucket) {
    byte[] number = Integer.toString(Objects.checkIndex(bucket, buckets)).getBytes(UTF_8);
    return backend.unlessClosed(() ->
        RedisFailure.<Long>reading(() -> redis().publish(ScopeKeys.HINTS, number))
            .thenAccept(heard -> {}));
  }

  private DeadLetter letter(int bucket, StreamMessage<String, byte[]> message) {
    return new DeadLetter(
        bucket,
        message.getId(),
        request(message),
        text(message, "y"),
        Long.parseLong(text(message, "n")),
        millis(text(message, "f")),
        millis(text(message, "l")),
        message.getBody().containsKey("t") ? millis(text(message, "t")) : time(message.getId()));
  }

  private static Instant millis(String text) {
    return Instant.ofEpochMilli(Long.parseLong(text));
  }

  /** When a message was put into its stream. */
  private static Instant time(String id) {
    return millis(id.substring(0, id.indexOf('-')));
  }

  private RedisClusterAsyncCommands<String, byte[]> redis() {
    return backend.connections().commands();
  }

  @Override
  public AutoCloseable onHint(IntConsumer listener) {
    return backend.feeds().hints().listen(listener);
  }

  private String inbox(int bucket) {
    return ScopeKeys.inbox(Objects.checkIndex(bucket, buckets));
  }

  /**
   * What a bucket's stream holds that can be read. An entry that is no message was put there by
   * another program, or by a node of a later release, and stays.
   */
  private List<InboxMessage> readable(int bucket, List<StreamMessage<String, byte[]>> entries) {
    List<InboxMessage> messages = new ArrayList<>(entries.size());
    for (StreamMessage<String, byte[]> entry : entries) {
      try {
        messages.add(message(entry));
      } catch (RuntimeException malformed) {
        LOG.warn(
            "entry {} of {} is no message and is passed over; its fields are {}: {}",
            entry.getId(),
            inbox(bucket),
            entry.getBody().keySet(),
            malformed.toString());
      }
    }
    return messages;
  }

  private InboxMessage message(StreamMessage<String, byte[]> message) {
    Scope scope = Scope.parse(text(message, "s"));
    if (message.getBody().containsKey("w")) {
      return new InboxMessage.Wake(
          message.getId(),
          text(message, "w"),
          scope,
          text(message, "k"),
          Position.parse(text(message, "p")));
    }
    return request(message);
  }

  private InboxMessage.Request request(StreamMessage<String, byte[]> message) {
    Scope scope = Scope.parse(text(message, "s"));
    Frame frame = new Frame(scope, backend.codec(), message.getBody().get("e"));
    return new InboxMessage.Request(
        message.getId(),
        text(message, "r"),
        scope,
        frame.key().orElseThrow(),
        frame.position(),
        frame.entry().value(),
        message.getBody().containsKey("c") && text(message, "c").equals("1"));
  }

  private static String text(StreamMessage<String, byte[]> message, String field) {
    return new String(message.getBody().get(field), UTF_8);
  }
}
