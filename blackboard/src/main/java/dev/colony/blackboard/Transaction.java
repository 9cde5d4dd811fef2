package dev.colony.blackboard;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A unit of work on one scope: reads go to the blackboard, writes stay in a buffer, are seen by the
 * transaction's own reads and take effect all at once at the commit, if nothing that was read has
 * changed by then. So committed transactions of a scope are serializable; those that only read are
 * checked too. A transaction that is going to fail may see a mixture of states.
 *
 * <p>Not thread-safe: its calls follow one another. It is over when the stage that its body
 * returned completes.
 */
public interface Transaction {

  /** The entry as this transaction sees it, or empty if it is absent or expired. */
  CompletionStage<Optional<Entry>> read(String key);

  /** The value as a Java type, see {@link Entry#as}. */
  default <T> CompletionStage<Optional<T>> read(String key, Class<T> type) {
    return read(key).thenApply(found -> found.map(entry -> entry.as(type)));
  }

  /** The entries that are there, in the order of the keys; all of one moment. */
  CompletionStage<List<Entry>> readAll(Collection<String> keys);

  /**
   * Writes at the commit; the last write to a key counts. An expected version is compared at the
   * commit with what the blackboard has, and its conflict is retried like any other.
   */
  CompletionStage<Void> write(Write write);

  /** Writes a Java object, see {@link Write#value(String, Object)}. */
  default CompletionStage<Void> write(String key, Object value) {
    return write(Write.value(key, value));
  }

  /** Writes at the commit and puts it into the inbox of an agent, see {@link Blackboard#send}. */
  CompletionStage<Void> send(Write write, String recipient);

  /** Deletes at the commit; nothing happens there if the entry is absent. */
  CompletionStage<Void> delete(String key);
}
