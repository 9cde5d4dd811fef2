package dev.colony.blackboard;

import dev.colony.blackboard.protocol.KeyGlob;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * The entries and events of one scope. Thread-safe; no call blocks.
 *
 * <p>A key is relative to the scope: 1 to 1,024 characters, no wildcard ({@code *}, {@code ?}), no
 * control character, not beginning with a slash or like a scope's path ({@code tenant:}). An
 * invalid key, and a value over the backend's limit, is refused at once with {@link
 * IllegalArgumentException}.
 *
 * <p>Stages fail with {@link BlackboardException} when a policy of the board refuses the call or
 * the backend cannot carry it out; a write that failed for a {@linkplain
 * BlackboardException#retryable() passing} reason may have happened. Calls of which one was not
 * awaited before the next may take effect in any order. Stages complete on a thread of the backend,
 * which their callbacks must not block.
 */
public interface Blackboard {

  Scope scope();

  /** What time it is for entries and events, see {@link Blackboards#clock}. */
  InstantSource clock();

  /**
   * Writes one entry and its event atomically. Acknowledged means stored, as durable as the
   * backend's own setting makes it. A call repeated by a reconnecting client takes effect once.
   */
  CompletionStage<WriteResult> write(Write write);

  /**
   * Writes one entry like {@link #write(Write)} and, in the same atomic operation, gives entries of
   * other keys the write's time to live, from now on: for what belongs together and is to go
   * together. All else of them stays as it is, version and position too, and there is no event of
   * it before that of their expiry; those that are absent are passed over. A version conflict
   * changes none of them.
   *
   * @throws IllegalArgumentException if the write has no time to live, or is of one of the keys
   */
  CompletionStage<WriteResult> write(Write write, Collection<String> expiringWith);

  /**
   * Writes one entry like {@link #write(Write)} and, in the same atomic operation, puts it into the
   * inbox of the agent that it is addressed to; a version conflict puts nothing there.
   *
   * @param recipient the agent's persistent name, opaque to the blackboard
   */
  CompletionStage<WriteResult> send(Write write, String recipient);

  /**
   * Sends like {@link #send}, unless as much as may waits already for the recipient, its tenant or
   * the bucket ({@code colony.blackboard.inbox}). Then nothing is stored, and the stage fails with
   * a {@link BlackboardException} that is {@linkplain BlackboardException#full full}. A version
   * conflict is found first.
   *
   * @param recipient as for {@link #send}
   */
  CompletionStage<WriteResult> offer(Write write, String recipient);

  /** Writes all of them in one atomic operation, or none; expected versions are those before it. */
  CompletionStage<CommitResult> writeAll(Collection<Write> writes);

  /** The entry, or empty if it is absent or expired. */
  CompletionStage<Optional<Entry>> read(String key);

  /**
   * The entries that are there, in the order of the keys; absent ones are left out. All are of one
   * moment; the backend serves no other call meanwhile, so ask for thousands in several calls.
   */
  CompletionStage<List<Entry>> readAll(Collection<String> keys);

  /**
   * A page of the entries that fit, ordered by the bytes of their keys. With tags that an entry
   * must carry, it costs as much as the rarest of them has entries; otherwise as much as there are
   * keys that begin like the glob up to its first wildcard. Entries are read some at a time: one
   * written meanwhile may be missing.
   */
  CompletionStage<EntryPage> query(Query query);

  /**
   * All entries that fit, from the query's cursor on, in the order of {@link #query}, which is
   * called once for each page. They are held in memory together: ask so only where their number is
   * known to be small.
   */
  default CompletionStage<List<Entry>> queryAll(Query query) {
    return collect(query, new ArrayList<>());
  }

  private CompletionStage<List<Entry>> collect(Query query, List<Entry> found) {
    return query(query)
        .thenCompose(page -> {
          found.addAll(page.entries());
          return page.next()
              .map(next -> collect(query.from(next), found))
              .orElseGet(() -> CompletableFuture.completedStage(found));
        });
  }

  /** Deletes an entry and stores the event; false if it was absent. */
  CompletionStage<Boolean> delete(String key);

  /**
   * Deletes all entries and stores one event, atomically: who reads afterwards sees none of them.
   * Stored events, durable subscriptions and wake patterns stay. Costs the same for any number of
   * entries; the memory that they take is given back some entries at a time, soon after, also where
   * the process that cleared them ends.
   *
   * @return how many there were; where there were none, there is no event
   */
  CompletionStage<Long> clear();

  /**
   * Runs a body whose reads and writes take effect as one, again after a conflict, with the retry
   * policy of the settings.
   *
   * @see #transaction(Function, RetryPolicy)
   */
  <T> CompletionStage<T> transaction(Function<Transaction, CompletionStage<T>> body);

  /**
   * Runs a body whose reads and writes take effect as one at its end, if nothing that it has read
   * changed; otherwise it is run again. What the body does besides may be done several times. Its
   * first run begins on the caller's thread, others on threads of their own.
   *
   * <p>Cancelling the returned stage ends the retries; a commit under way may still take effect.
   *
   * @return what the body returned at its last run, after the commit. Fails with the body's own
   *     failure, and nothing is written; with {@link
   *     BlackboardException.Reason#CONCURRENT_MODIFICATION} when the retries are used up
   */
  <T> CompletionStage<T> transaction(
      Function<Transaction, CompletionStage<T>> body, RetryPolicy retry);

  /**
   * The oldest stored events after a position that pass the filter. An event that is no longer
   * stored is not there, silently: {@link #subscribe} tells.
   *
   * @param limit at least 1; fewer events come only if there are no more
   */
  CompletionStage<List<BlackboardEvent>> history(EventFilter filter, Position after, int limit);

  /**
   * The events of this scope that pass a filter, in order of position, each once within one
   * subscription. Demand is honoured; a slow subscriber is served from the stored stream and stalls
   * no other; it may block its own thread, and is told of it if it is a {@link
   * BlackboardSubscriber}. {@code onSubscribe} is called when the subscription is established; with
   * {@link SubscribeFrom#now} every write made through the same backend after {@code subscribe}
   * returned is seen.
   *
   * <p>An outage that meets it while it is being established fails it as it fails any call; from
   * then on outages are waited out. It fails with {@link BlackboardException.Reason#EVENTS_LOST}
   * where the events after the subscriber's position are no longer stored: trimmed, or lost by the
   * server. It completes when the backend is closed.
   */
  Flow.Publisher<BlackboardEvent> subscribe(EventFilter filter, SubscribeFrom from);

  /** The events of entries whose keys match a glob. */
  default Flow.Publisher<BlackboardEvent> subscribe(String keyGlob, SubscribeFrom from) {
    return subscribe(new EventFilter.Keys(new KeyGlob(keyGlob)), from);
  }

  /**
   * Says that a durable subscriber has dealt with all events up to a position: it begins after it
   * next time, and the events need not be retained for it. A position before the one acknowledged
   * is passed over; one whose name is not known makes the subscription.
   */
  CompletionStage<Void> acknowledge(String subscription, Position position);

  /** Ends a durable subscription for good: nothing is retained for it. False if it is not known. */
  CompletionStage<Boolean> forget(String subscription);

  /**
   * Has an agent woken, through the inbox, by writes of others to keys that match; replaces what
   * was said for it before.
   *
   * @param recipient the agent's persistent name; writes of its own, under that name, do not wake
   *     it
   * @param keyGlobs at most 16, each with at most 4 stars; none ends it
   */
  CompletionStage<Void> wakeOn(String recipient, Collection<KeyGlob> keyGlobs);

  CompletionStage<ScopeStatistics> statistics();

  /** What was done through this object. */
  BlackboardCounters counters();
}
