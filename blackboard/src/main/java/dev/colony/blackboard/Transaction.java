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
 * <p>What a policy of the board refuses fails the transaction, whatever its body makes of the
 * refused call. A value over the backend's limit is refused at the commit.
 *
 * <p>Not thread-safe: its calls follow one another. It is over when the stage that its body
 * returned completes; a call after that is refused with {@link IllegalStateException}.
 */
public interface Transaction {

  /**
   * The entry as this transaction sees it, or empty if it is absent or expired; the same one each
   * time. An entry that the transaction has written shows the version that the commit will give it,
   * and the times of the call.
   */
  CompletionStage<Optional<Entry>> read(String key);

  /** The value as a Java type, see {@link Entry#as}. */
  default <T> CompletionStage<Optional<T>> read(String key, Class<T> type) {
    return read(key).thenApply(found -> found.map(entry -> entry.as(type)));
  }

  /** The entries that are there, in the order of the keys; all of one moment. */
  CompletionStage<List<Entry>> readAll(Collection<String> keys);

  /**
   * Writes at the commit. Of several writes, sends and deletes of a key only the last is made, so
   * the entry's version grows by one.
   *
   * <p>An expected version is that of the entry as the transaction sees it. Of a key that it has
   * not written it is compared with the blackboard's at the commit, and a conflict is retried like
   * any other.
   *
   * @throws IllegalArgumentException if the transaction's own write or delete before this one rules
   *     the expected version out
   */
  CompletionStage<Void> write(Write write);

  /** Writes a Java object, see {@link Write#value(String, Object)}. */
  default CompletionStage<Void> write(String key, Object value) {
    return write(Write.value(key, value));
  }

  /** Writes at the commit and puts it into the inbox of an agent, see {@link Blackboard#send}. */
  CompletionStage<Void> send(Write write, String recipient);

  /** Sends at the commit, which fails where too much waits, see {@link Blackboard#offer}. */
  CompletionStage<Void> offer(Write write, String recipient);

  /** Deletes at the commit; nothing happens there if the entry is absent. */
  CompletionStage<Void> delete(String key);
}
