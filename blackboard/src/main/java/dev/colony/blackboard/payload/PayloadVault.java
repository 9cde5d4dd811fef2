package dev.colony.blackboard.payload;

import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.payload.PayloadStore.RefusedException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Keeps outside Redis what is large: the "claim check" of Hohpe and Woolf's <i>Enterprise
 * Integration Patterns</i>. In Redis stands a stub with the payload's length and SHA-256. A payload
 * is durable before its stub is sent, so that a crash in between leaves a payload that nothing
 * refers to, which {@link PayloadSweep} removes. What is read is checked against the stub.
 *
 * <p>A payload is named <code>VAULT/AREA/OWNER/ITEM-SHA256</code>: the random name of the Redis
 * that refers to it, so that two on one store do not meet; a letter; the beginning of the SHA-256
 * of the owner, whom the payload's head names in full; what the owner calls it. So all payloads of
 * an owner lie together, and no name tells of a tenant.
 *
 * <p>Methods block, so they are called on virtual threads; they throw {@link PayloadException}.
 * Thread-safe.
 */
public final class PayloadVault implements AutoCloseable {

  /** What is longer lies outside: about where a file costs less than it saves, in bytes. */
  public static final int THRESHOLD = 64 << 10;

  /** How long a payload stays that nothing refers to. */
  public static final Duration KEPT = Duration.ofDays(1);

  /** How much is on its way to or from the store at a time, in bytes; what is more waits. */
  private static final int IN_FLIGHT = 64 << 20;

  /** Between two attempts at a store that cannot be reached. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  /** What a payload begins with; then the length of the owner and the owner. */
  private static final byte[] HEAD = {'c', 'p', 1};

  private static final int BYTES_OF_OWNER = 16;
  private static final int NAMES_AT_ONCE = 1_000;

  private final Optional<PayloadStore> store;
  private final String name;
  private final Duration patience;
  private final int threshold;
  private final Semaphore room = new Semaphore(IN_FLIGHT, true);
  private volatile PayloadListener listener = (outcome, bytes) -> {};

  /** Is told what becomes of payloads. */
  @FunctionalInterface
  public interface PayloadListener {

    enum Outcome {
      STORED,
      FETCHED,
      /** One is missing, or is not the one that was stored. */
      DAMAGED,
      /** The store could not be used. */
      FAILED
    }

    /**
     * @param bytes of the payload; 0 where none was moved
     */
    void payload(Outcome outcome, long bytes);
  }

  /**
   * What stands in Redis of a payload.
   *
   * @param length of the payload, in bytes
   * @param sha256 of the payload, in hexadecimal digits
   */
  public record Stub(int length, String sha256) {}

  /** A payload could not be stored, or read. */
  public static class PayloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean retryable;

    PayloadException(String message, Throwable cause, boolean retryable) {
      super(message, cause);
      this.retryable = retryable;
    }

    /** Whether the same may succeed later. */
    public boolean retryable() {
      return retryable;
    }
  }

  /** A payload that is referred to is missing, or is not the one that was stored. */
  public static final class DamagedPayloadException extends PayloadException {

    private static final long serialVersionUID = 1L;

    DamagedPayloadException(String message) {
      super(message, null, false);
    }
  }

  /** A call of the store. */
  @FunctionalInterface
  interface StoreCall<T> {
    T call(PayloadStore store) throws IOException;
  }

  /** The same without an answer. */
  @FunctionalInterface
  interface StoreChange {
    void make(PayloadStore store) throws IOException;
  }

  /**
   * @param store empty where all lies in Redis
   * @param name of the Redis that refers to what is here
   * @param patience how long a store that cannot be reached is asked again
   */
  public PayloadVault(Optional<PayloadStore> store, String name, Duration patience) {
    this(store, name, patience, THRESHOLD);
  }

  /**
   * @param threshold in the place of {@link #THRESHOLD}
   */
  PayloadVault(Optional<PayloadStore> store, String name, Duration patience, int threshold) {
    this.store = store;
    this.name = name;
    this.patience = patience;
    this.threshold = threshold;
  }

  /** All lies in Redis. */
  public static PayloadVault none() {
    return new PayloadVault(Optional.empty(), "", Duration.ZERO);
  }

  public boolean off() {
    return store.isEmpty();
  }

  /** Whether something of this length lies outside. */
  public boolean takes(int length) {
    return length > threshold && store.isPresent();
  }

  /** Tells this one from now on, and none before it. */
  public void listen(PayloadListener told) {
    listener = told;
  }

  /**
   * Keeps a payload. Its stub has to be stored soon, for what nothing refers to goes after {@link
   * #KEPT}.
   *
   * @param area of the owner: a letter
   * @param item what the owner calls it: letters and digits
   * @return durable
   */
  public Stub put(char area, String owner, String item, byte[] content) {
    Stopwatch begun = Stopwatch.start();
    byte[] payload = withHead(owner, content);
    Stub stub = new Stub(payload.length, RequestSignature.sha256(payload));
    String stored = folder(area, owner) + item + "-" + stub.sha256();
    change(payload.length, called -> called.put(stored, payload));
    if (begun.isOver(KEPT.dividedBy(2))) {
      throw new PayloadException(store.get() + " took too long for " + stored, null, true);
    }
    listener.payload(PayloadListener.Outcome.STORED, payload.length);
    return stub;
  }

  /**
   * The content of a payload.
   *
   * @param what it is, for messages
   * @throws DamagedPayloadException where it is missing, or is another one
   */
  public byte[] get(char area, String owner, String item, Stub stub, String what) {
    if (store.isEmpty()) {
      throw new PayloadException(
          what + " lies in a store of payloads: colony.payloads.store has to name it", null, false);
    }
    String stored = folder(area, owner) + item + "-" + stub.sha256();
    Optional<byte[]> payload = ask(stub.length(), called -> called.get(stored, stub.length() + 1));
    String damage =
        payload
            .map(bytes -> {
              if (bytes.length != stub.length()) {
                return "has %d bytes in place of %d".formatted(bytes.length, stub.length());
              }
              return RequestSignature.sha256(bytes).equals(stub.sha256()) ? "" : "has other bytes";
            })
            .orElse("is missing");
    if (!damage.isEmpty()) {
      listener.payload(PayloadListener.Outcome.DAMAGED, stub.length());
      throw new DamagedPayloadException(
          "%s: its payload %s %s in %s".formatted(what, stored, damage, store.get()));
    }
    listener.payload(PayloadListener.Outcome.FETCHED, stub.length());
    byte[] bytes = payload.get();
    int head = HEAD.length + 4 + ByteBuffer.wrap(bytes).getInt(HEAD.length);
    return Arrays.copyOfRange(bytes, head, bytes.length);
  }

  /** Deletes all payloads of an owner. */
  public void removeAll(char area, String owner) {
    if (off()) {
      return;
    }
    String folder = folder(area, owner);
    List<String> names;
    do {
      names = ask(1, called -> called.list(folder, "", NAMES_AT_ONCE));
      names.forEach(this::delete);
    } while (names.size() == NAMES_AT_ONCE);
  }

  void delete(String stored) {
    change(1, called -> called.delete(stored));
  }

  /** What all names of an area begin with. */
  String root(char area) {
    return name + "/" + area + "/";
  }

  /** What the names of an owner's payloads begin with. */
  String folder(char area, String owner) {
    byte[] digest = RequestSignature.digest(owner.getBytes(StandardCharsets.UTF_8));
    return root(area) + HexFormat.of().formatHex(digest, 0, BYTES_OF_OWNER) + "/";
  }

  void change(int bytes, StoreChange change) {
    ask(
        bytes,
        called -> {
          change.make(called);
          return true;
        });
  }

  /**
   * Calls the store, again while it cannot be reached.
   *
   * @param bytes about how many are on their way with it
   */
  <T> T ask(int bytes, StoreCall<T> call) {
    PayloadStore called = store.orElseThrow();
    int permits = Math.clamp(bytes, 1, IN_FLIGHT);
    boolean admitted = false;
    try {
      admitted = room.tryAcquire(permits, patience.toNanos(), TimeUnit.NANOSECONDS);
      if (!admitted) {
        throw failed(called + " is too slow for what is to be stored", null, true);
      }
      return untilTaken(called, call);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new PayloadException(called + ": interrupted", stopped, true);
    } finally {
      if (admitted) {
        room.release(permits);
      }
    }
  }

  private <T> T untilTaken(PayloadStore called, StoreCall<T> call) throws InterruptedException {
    Deadline giveUpAt = Deadline.in(patience);
    while (true) {
      try {
        return call.call(called);
      } catch (RefusedException refused) {
        throw failed(refused.getMessage(), refused, false);
      } catch (IOException failure) {
        if (!giveUpAt.allows(PAUSE)) {
          throw failed(called + " cannot be used: " + failure.getMessage(), failure, true);
        }
      }
      // Not all at the same moment.
      Thread.sleep(PAUSE.toMillis() + ThreadLocalRandom.current().nextLong(PAUSE.toMillis()));
    }
  }

  private PayloadException failed(String message, Throwable cause, boolean retryable) {
    listener.payload(PayloadListener.Outcome.FAILED, 0);
    return new PayloadException(message, cause, retryable);
  }

  /** Something that blocks, as a stage. */
  public static <T> CompletionStage<T> onVirtualThread(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, Thread::startVirtualThread);
  }

  private static byte[] withHead(String owner, byte[] content) {
    byte[] who = owner.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(HEAD.length + 4 + who.length + content.length)
        .put(HEAD)
        .putInt(who.length)
        .put(who)
        .put(content)
        .array();
  }

  /** Whom a payload's first bytes name as its owner; empty where they are none of a payload. */
  static Optional<String> owner(byte[] beginning) {
    ByteBuffer bytes = ByteBuffer.wrap(beginning);
    byte[] head = new byte[HEAD.length];
    try {
      bytes.get(head);
      int length = bytes.getInt();
      return Arrays.equals(head, HEAD) && length >= 0 && length <= bytes.remaining()
          ? Optional.of(new String(beginning, bytes.position(), length, StandardCharsets.UTF_8))
          : Optional.empty();
    } catch (BufferUnderflowException cut) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    store.ifPresent(PayloadStore::close);
  }
}
