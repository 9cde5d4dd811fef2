package dev.colony.blackboard;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * The entries and events of one scope. Thread-safe; no call blocks.
 *
 * <p>Stages fail with {@link BlackboardException} when the backend cannot answer; an invalid key is
 * refused at once with {@link IllegalArgumentException}.
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

  /** The entries that are there, in the order of the keys; absent ones are left out. */
  CompletionStage<List<Entry>> readAll(Collection<String> keys);

  /** The entries whose keys match a glob ({@code *} and {@code ?}), ordered by key. */
  CompletionStage<List<Entry>> query(String keyGlob, int limit);

  /** Deletes an entry and stores the event; false if it was absent. */
  CompletionStage<Boolean> delete(String key);

  /**
   * The events of this scope whose keys match a glob, in order of position, each at least once and,
   * within one subscriber's life, with growing positions. Demand is honoured; a slow subscriber is
   * served from the stored stream and stalls nobody. Completes when the backend is closed.
   */
  Flow.Publisher<BlackboardEvent> subscribe(String keyGlob, SubscribeFrom from);
}
