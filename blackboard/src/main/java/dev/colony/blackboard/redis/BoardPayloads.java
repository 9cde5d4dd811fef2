package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.payload.PayloadSweep;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.payload.PayloadVault.DamagedPayloadException;
import dev.colony.blackboard.payload.PayloadVault.PayloadException;
import dev.colony.blackboard.payload.PayloadVault.Stub;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The large values of entries, which lie in a {@link PayloadVault}; in the frame stands a stub,
 * <code>
 * &#64;LENGTH ITEM SHA-256</code>, as no JSON begins. An entry owns its payloads, one for each
 * write: its event refers to the same one for as long as it is stored. What goes to an inbox stays
 * inline, for its copies there have no entry.
 *
 * <p>The vault is called on virtual threads. Thread-safe; stages fail with {@link
 * BlackboardException}.
 */
final class BoardPayloads {

  /** The letter of the vault's area. */
  static final char AREA = 'b';

  /** What a stub begins with. */
  static final byte MARK = '@';

  private static final Pattern STUB = Pattern.compile("@(\\d+) ([0-9a-f]+) ([0-9a-f]{64})");

  private static final RedisScript LOOK =
      RedisScript.resource(BoardPayloads.class, "payloads.lua", ScriptOutputType.MULTI);

  /** How long a store that cannot be reached is asked again. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final RedisConnections connections;
  private final PayloadVault vault;
  private final int buckets;
  private final PayloadSweep sweep;

  /** Of each scope the last commit that is not sent yet; completes when it is, or never will be. */
  private final Map<String, CompletableFuture<Void>> storing = new ConcurrentHashMap<>();

  BoardPayloads(RedisConnections connections, PayloadVault vault, int buckets) {
    this.connections = connections;
    this.vault = vault;
    this.buckets = buckets;
    this.sweep = new PayloadSweep(vault, AREA, this::references, PayloadSweep.PAGE);
  }

  /**
   * Opens the vault that the settings name, if they name one. Blocks.
   *
   * @throws BlackboardException where it cannot be used
   */
  static BoardPayloads open(
      RedisConnections connections, BlackboardSettings settings, BlackboardListener listener) {
    PayloadVault vault = BoundPayloads.open(settings.payloads(), connections, PATIENCE);
    vault.listen(listener::payload);
    return new BoardPayloads(connections, vault, settings.buckets());
  }

  void close() {
    vault.close();
  }

  /** See {@link dev.colony.blackboard.Blackboards#sweepPayloads}. */
  CompletionStage<PayloadSweep.Swept> sweep(Optional<String> after, Instant now) {
    return blocking(() -> sweep.sweep(after, now));
  }

  /** A value that is to be written, and its JSON. */
  record Value(Change.Put put, byte[] json) {

    Value with(byte[] other) {
      return new Value(put, other);
    }
  }

  private boolean takes(Value value) {
    return value.put().recipient().isEmpty() && vault.takes(value.json().length);
  }

  /**
   * Sends a commit once its large values lie in the vault, and not before those of the same scope
   * that were made here earlier: a later write of a writer that does not wait overtakes none.
   *
   * @param values that are to be written
   * @param send makes the call, with stubs in the place of what is large
   */
  <T> CompletionStage<T> send(
      ScopeKeys keys, List<Value> values, Function<List<Value>, CompletionStage<T>> send) {
    boolean large = false;
    for (Value value : values) {
      large |= takes(value);
    }
    if (!large && !storing.containsKey(keys.base())) {
      return send.apply(values);
    }
    CompletableFuture<Void> sent = new CompletableFuture<>();
    CompletableFuture<Void> before = storing.put(keys.base(), sent);
    CompletionStage<List<Value>> stored =
        large ? put(keys.scope(), values) : CompletableFuture.completedStage(values);
    return (before == null ? CompletableFuture.<Void>completedStage(null) : before)
        .thenCompose(turn -> stored)
        .handle((stubs, failure) -> {
          try {
            return failure == null ? send.apply(stubs) : CompletableFuture.<T>failedStage(failure);
          } finally {
            storing.remove(keys.base(), sent);
            sent.complete(null);
          }
        })
        .thenCompose(Function.identity());
  }

  private CompletionStage<List<Value>> put(Scope scope, List<Value> values) {
    return blocking(
        () -> values.stream().map(value -> takes(value) ? put(scope, value) : value).toList());
  }

  private Value put(Scope scope, Value value) {
    String item = UUID.randomUUID().toString().replace("-", "");
    Stub stub = vault.put(AREA, owner(scope, value.put().key()), item, value.json());
    return value.with("@%d %s %s".formatted(stub.length(), item, stub.sha256()).getBytes(UTF_8));
  }

  /**
   * The frames with their values, as many from the first on as fit.
   *
   * @param maxBytes how many bytes all may have; the first may have any number
   */
  CompletionStage<List<Frame>> fetched(List<Frame> frames, long maxBytes) {
    if (frames.stream().noneMatch(Frame::outside)) {
      return CompletableFuture.completedStage(frames);
    }
    List<CompletableFuture<Frame>> whole = new ArrayList<>();
    long bytes = 0;
    for (Frame frame : frames) {
      bytes += frame.bytes() + (frame.outside() ? stub(frame).length() : 0);
      if (bytes > maxBytes && !whole.isEmpty()) {
        break;
      }
      whole.add(fetched(frame).toCompletableFuture());
    }
    return CompletableFuture.allOf(whole.toArray(CompletableFuture[]::new))
        .thenApply(all -> whole.stream().map(CompletableFuture::join).toList());
  }

  /** The same of events: one whose payload is damaged is lost. */
  CompletionStage<List<Frame>> fetchedEvents(List<Frame> frames, long maxBytes) {
    return fetched(frames, maxBytes)
        .exceptionallyCompose(failure ->
            CompletableFuture.failedStage(
                failure.getCause() instanceof BlackboardException known
                        && known.getCause() instanceof DamagedPayloadException damaged
                    ? new BlackboardException(Reason.EVENTS_LOST, damaged.getMessage(), damaged)
                    : failure));
  }

  private CompletionStage<Frame> fetched(Frame frame) {
    if (!frame.outside()) {
      return CompletableFuture.completedStage(frame);
    }
    String key = frame.key().orElseThrow();
    Matcher parts = parts(frame);
    return blocking(() ->
        frame.withValue(
            vault.get(
                AREA,
                owner(frame.scope(), key),
                parts.group(2),
                stub(parts),
                "the value of \"%s\" in %s".formatted(key, frame.scope()))));
  }

  private static Stub stub(Frame frame) {
    return stub(parts(frame));
  }

  private static Stub stub(Matcher parts) {
    return new Stub(Integer.parseInt(parts.group(1)), parts.group(3));
  }

  private static Matcher parts(Frame frame) {
    String text = new String(frame.value(), UTF_8);
    Matcher parts = STUB.matcher(text);
    if (!parts.matches()) {
      throw new IllegalStateException("not a value: " + text);
    }
    return parts;
  }

  /** Neither a scope's path nor a key has a line feed. */
  private static String owner(Scope scope, String key) {
    return scope.path() + "\n" + key;
  }

  /** Which payloads an entry refers to, and how far back events of its scope are stored. Blocks. */
  private PayloadSweep.References references(String owner, List<PayloadSweep.Item> items) {
    String[] entry = owner.split("\n", 2);
    ScopeKeys keys = ScopeKeys.of(Scope.parse(entry[0]), buckets);
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(entry[1].getBytes(UTF_8));
    items.forEach(item -> arguments.add((item.item() + " " + item.sha256()).getBytes(UTF_8)));
    List<?> reply =
        RedisFailure.translate(
                LOOK.<List<?>>run(
                    connections.commands(),
                    new String[] {keys.base()},
                    arguments.toArray(byte[][]::new)))
            .toCompletableFuture()
            .join();
    String oldest = new String((byte[]) reply.getFirst(), UTF_8);
    return new PayloadSweep.References(
        reply.stream().skip(1).map(found -> found.equals(1L)).toList(),
        oldest.isEmpty() ? Instant.MAX : Instant.ofEpochMilli(Position.parse(oldest).millis()));
  }

  private static <T> CompletionStage<T> blocking(Supplier<T> work) {
    return PayloadVault.onVirtualThread(() -> {
      try {
        return work.get();
      } catch (DamagedPayloadException damaged) {
        throw new BlackboardException(Reason.INTERNAL, damaged.getMessage(), damaged);
      } catch (PayloadException failure) {
        throw new BlackboardException(
            failure.retryable() ? Reason.UNREACHABLE : Reason.MISCONFIGURED,
            failure.getMessage(),
            failure);
      }
    });
  }
}
