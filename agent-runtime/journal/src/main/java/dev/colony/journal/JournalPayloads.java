package dev.colony.journal;

import dev.colony.blackboard.payload.PayloadSweep.Item;
import dev.colony.blackboard.payload.PayloadSweep.References;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.payload.PayloadVault.DamagedPayloadException;
import dev.colony.blackboard.payload.PayloadVault.PayloadException;
import dev.colony.blackboard.payload.PayloadVault.Stub;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import dev.colony.journal.JournalException.DamagedLogException;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The large frames of logs and snapshots, which lie in a {@link PayloadVault} while stubs stand in
 * their place. A log owns its payloads: {@code e} and the number of the event, or {@code s} and
 * that of the snapshot. A payload that is missing, or is another one, is damage of the log.
 *
 * <p>The vault is called on virtual threads. Thread-safe; stages fail with {@link
 * JournalException}.
 */
final class JournalPayloads {

  /** The letter of the vault's area. */
  static final char AREA = 'j';

  private static final RedisScript LOOK =
      RedisScript.resource(JournalPayloads.class, "payloads.lua", ScriptOutputType.MULTI);

  private final PayloadVault vault;

  /** Of what a payload is the frame. */
  enum Kind {
    EVENT("event", "e"),
    SNAPSHOT("snapshot", "s");

    private final String word;
    private final String letter;

    Kind(String word, String letter) {
      this.word = word;
      this.letter = letter;
    }
  }

  JournalPayloads(PayloadVault vault) {
    this.vault = vault;
  }

  /** Whether one of these frames is to lie outside. */
  boolean takes(List<byte[]> frames) {
    for (byte[] frame : frames) {
      if (vault.takes(frame.length)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Keeps those frames in the vault that are large, the first with the number {@code from}.
   *
   * @return the frames, with stubs in the place of those
   */
  CompletionStage<List<byte[]>> put(
      Kind kind, String persistenceId, long from, List<byte[]> frames) {
    return blocking(
        persistenceId,
        () -> {
          List<byte[]> stubs = new ArrayList<>(frames.size());
          for (int i = 0; i < frames.size(); i++) {
            byte[] frame = frames.get(i);
            stubs.add(
                vault.takes(frame.length)
                    ? stub(frame, vault.put(AREA, persistenceId, kind.letter + (from + i), frame))
                    : frame);
          }
          return stubs;
        });
  }

  private static byte[] stub(byte[] frame, Stub payload) {
    EventFrame whole = EventFrame.decode(frame);
    return new EventFrame.Outside(whole.writer(), whole.timestampMillis(), payload).encode();
  }

  /** The view with payloads in the place of stubs. */
  CompletionStage<LogView> fetched(String persistenceId, LogView view) {
    if (view.entries().stream().noneMatch(entry -> EventFrame.isOutside(entry.frame()))) {
      return CompletableFuture.completedStage(view);
    }
    List<CompletableFuture<LogView.Entry>> entries =
        view.entries().stream()
            .map(entry ->
                fetched(Kind.EVENT, persistenceId, entry.sequenceNr(), entry.frame())
                    .thenApply(frame -> new LogView.Entry(entry.sequenceNr(), frame))
                    .toCompletableFuture())
            .toList();
    return CompletableFuture.allOf(entries.toArray(CompletableFuture[]::new))
        .thenApply(all -> view.with(entries.stream().map(CompletableFuture::join).toList()));
  }

  /** The frame that a stub stands for; a frame that is none itself. */
  CompletionStage<byte[]> fetched(Kind kind, String persistenceId, long number, byte[] frame) {
    return EventFrame.isOutside(frame)
        ? blocking(
            persistenceId,
            () ->
                vault.get(
                    AREA,
                    persistenceId,
                    kind.letter + number,
                    ((EventFrame.Outside) EventFrame.decode(frame)).payload(),
                    "%s %d".formatted(kind.word, number)))
        : CompletableFuture.completedStage(frame);
  }

  /** Deletes all payloads of a log. */
  CompletionStage<Void> remove(String persistenceId) {
    return vault.off()
        ? CompletableFuture.completedStage(null)
        : blocking(
            persistenceId,
            () -> {
              vault.removeAll(AREA, persistenceId);
              return null;
            });
  }

  /** Which payloads of a log its stubs refer to; all, while it has lost events. Blocks. */
  static References references(
      RedisConnections redis,
      JournalKeys keys,
      RedisRetry retry,
      String persistenceId,
      List<Item> items) {
    int slot = keys.slot(persistenceId);
    String[] touched = {
      keys.events(slot, persistenceId),
      keys.meta(slot, persistenceId),
      keys.snapshots(persistenceId)
    };
    byte[][] asked =
        items.stream()
            .map(item -> item.item().getBytes(StandardCharsets.UTF_8))
            .toArray(byte[][]::new);
    List<?> reply;
    try {
      reply =
          retry
              .<List<?>>whileItHelps(() -> LOOK.run(redis.commands(), touched, asked))
              .toCompletableFuture()
              .join();
    } catch (CompletionException failure) {
      throw RedisRetry.failed("look at payloads of", persistenceId, failure);
    }
    boolean lost = reply.getFirst().equals(1L);
    List<Boolean> referred = new ArrayList<>(items.size());
    for (int i = 0; i < items.size(); i++) {
      byte[] frame = (byte[]) reply.get(i + 1);
      referred.add(
          lost
              || EventFrame.isOutside(frame)
                  && ((EventFrame.Outside) EventFrame.decode(frame))
                      .payload()
                      .sha256()
                      .equals(items.get(i).sha256()));
    }
    return new References(referred, Instant.MAX);
  }

  private <T> CompletionStage<T> blocking(String persistenceId, PayloadWork<T> work) {
    return PayloadVault.onVirtualThread(() -> {
      try {
        return work.value();
      } catch (DamagedPayloadException damaged) {
        throw new DamagedLogException(persistenceId, damaged.getMessage());
      } catch (PayloadException failure) {
        throw new JournalException(
            "payloads of %s: %s".formatted(persistenceId, failure.getMessage()),
            failure,
            failure.retryable());
      }
    });
  }

  private interface PayloadWork<T> {
    T value();
  }
}
