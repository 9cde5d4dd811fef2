package dev.colony.blackboard;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * The entries and events of one scope. Thread-safe; no call blocks.
 *
 * <p>A key is relative to the scope: 1 to 1,024 characters, no wildcard ({@code *}, {@code ?}), no
 * control character, not beginning with a slash or like a scope's path ({@code tenant:}). An
 * invalid key, and a value over the backend's limit, is refused at once with {@link
 * IllegalArgumentException}.
 *
 * <p>Stages fail with {@link BlackboardException} when the backend cannot answer in time; a write
 * that failed so may have happened. Calls of which one was not awaited before the next may take
 * effect in any order. Stages complete on a thread of the backend, which their callbacks must not
 * block.
 */
public interface Blackboard {

  Scope scope();

  /**
   * Writes one entry and its event atomically. Acknowledged means stored, as durable as the
   * backend's own setting makes it. A call repeated by a reconnecting client takes effect once.
   */
  CompletionStage<WriteResult> write(Write write);

  /**
   * Writes one entry like {@link #write} and, in the same atomic operation, puts it into the inbox
   * of the agent that it is addressed to; a version conflict puts nothing there.
   *
   * @param recipient the agent's persistent name, opaque to the blackboard
   */
  CompletionStage<WriteResult> send(Write write, String recipient);

  /** The entry, or empty if it is absent or expired. */
  CompletionStage<Optional<Entry>> read(String key);

  /**
   * The entries that are there, in the order of the keys; absent ones are left out. Each is read
   * atomically, all of them are not.
   */
  CompletionStage<List<Entry>> readAll(Collection<String> keys);

  /**
   * The first entries whose keys match a glob ({@code *} and {@code ?}, see {@link
   * dev.colony.blackboard.key.KeyGlob}), ordered by the bytes of their keys. Costs as much as the
   * keys that begin like the glob, up to its first wildcard. Each entry is read atomically; one
   * written meanwhile may be missing.
   *
   * @param limit at least 1
   */
  CompletionStage<List<Entry>> query(String keyGlob, int limit);

  /** Deletes an entry and stores the event; false if it was absent. */
  CompletionStage<Boolean> delete(String key);

  /**
   * The events of this scope whose keys match a glob, in order of position, each once within one
   * subscription. Demand is honoured; a slow subscriber is served from the stored stream and stalls
   * nobody; it may block its own thread. {@code onSubscribe} is called when the subscription is
   * established; with {@link SubscribeFrom#now} every write made through the same backend after
   * {@code subscribe} returned is seen.
   *
   * <p>Outages are waited out. It fails, never retryably, where the events after the subscriber's
   * position are no longer stored: trimmed, or lost by the server. It completes when the backend is
   * closed.
   */
  Flow.Publisher<BlackboardEvent> subscribe(String keyGlob, SubscribeFrom from);
}
