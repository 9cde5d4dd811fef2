package dev.colony.blackboard.board;

import dev.colony.blackboard.AccessPolicy.Operation;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.CommitCondition;
import dev.colony.blackboard.board.WriterStore.BoardPermissions;
import dev.colony.blackboard.protocol.EntryKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One run of a transaction's body: what it has read, and what it is going to write.
 *
 * <p><b>Reads.</b> The first read of a key goes to the store and is remembered; later ones give the
 * same entry again. At the commit each must still be where it was: {@link
 * CommitCondition.WrittenAt}, with {@link Position#BEGINNING} for an entry that was absent. This is
 * the backward validation of Kung and Robinson, "On Optimistic Methods for Concurrency Control"
 * (1981), with the commit as the critical section.
 *
 * <p><b>Writes.</b> Only the last write or delete of a key is made, in the order of these last
 * ones. So the entry's version grows by one, and a read after the write shows that version; it asks
 * the store for the entry before it, which is then among what must not change.
 *
 * <p><b>Expected versions</b> are of the entry as the transaction sees it. Of a key that it has not
 * written, that is the blackboard's version, compared at the commit. After a write of its own it is
 * the one that this write will give, so the blackboard must then have the version before it; after
 * a delete of its own it is 0.
 *
 * <p>A lock guards the state, because reads complete on threads of the backend.
 */
final class BufferedTransaction implements Transaction {

  private final WriterStore store;
  private final BoardPermissions gate;
  private final InstantSource clock;
  private final Map<String, Optional<Entry>> found = new HashMap<>();
  private final Map<String, Change> changes = new LinkedHashMap<>();
  private final Set<CommitCondition> expectedVersions = new LinkedHashSet<>();
  private Optional<BlackboardException> refusal = Optional.empty();
  private boolean over;

  BufferedTransaction(WriterStore store, BoardPermissions gate, InstantSource clock) {
    this.store = store;
    this.gate = gate;
    this.clock = clock;
  }

  @Override
  public CompletionStage<Optional<Entry>> read(String key) {
    return entries(List.of(key)).thenApply(List::getFirst);
  }

  @Override
  public CompletionStage<List<Entry>> readAll(Collection<String> keys) {
    return entries(List.copyOf(keys))
        .thenApply(all -> all.stream().flatMap(Optional::stream).toList());
  }

  private CompletionStage<List<Optional<Entry>>> entries(List<String> keys) {
    keys.forEach(EntryKey::check);
    // The transaction's own changes as they are at the call, whatever is written until it ends.
    Map<String, Change> own = new HashMap<>();
    List<String> unknown;
    synchronized (this) {
      checkRunning();
      for (String key : keys) {
        Optional<BlackboardException> refused = noted(gate.refusal(Operation.READ, key));
        if (refused.isPresent()) {
          return CompletableFuture.failedStage(refused.get());
        }
        own.put(key, changes.get(key));
      }
      unknown =
          own.keySet().stream()
              .filter(key -> !found.containsKey(key) && !(own.get(key) instanceof Change.Remove))
              .toList();
    }
    if (unknown.isEmpty()) {
      return CompletableFuture.completedStage(seen(keys, own));
    }
    return store
        .read(unknown)
        .thenApply(entries -> {
          remember(unknown, entries);
          return seen(keys, own);
        });
  }

  /** Of two reads of a key that were under way together, the first to come counts. */
  private synchronized void remember(List<String> keys, List<Optional<Entry>> entries) {
    for (int i = 0; i < keys.size(); i++) {
      found.putIfAbsent(keys.get(i), entries.get(i));
    }
  }

  private synchronized List<Optional<Entry>> seen(List<String> keys, Map<String, Change> own) {
    return keys.stream()
        .map(key ->
            switch (own.get(key)) {
              case null -> found.get(key);
              case Change.Put put -> Optional.of(written(put, found.get(key)));
              case Change.Limit limit -> found.get(key);
              case Change.Remove remove -> Optional.<Entry>empty();
            })
        .toList();
  }

  /** The entry as it is going to be; its times are those of the call. */
  private Entry written(Change.Put put, Optional<Entry> before) {
    Instant now = clock.instant();
    return new Entry(
        put.key(),
        put.value().deepCopy(),
        before.map(Entry::version).orElse(0L) + 1,
        Position.BEGINNING,
        before.map(Entry::createdAt).orElse(now),
        before.map(Entry::createdBy).orElse(store.writer()),
        now,
        store.writer(),
        put.tags(),
        put.metadata(),
        put.ttl().map(now::plus));
  }

  @Override
  public CompletionStage<Void> write(Write write) {
    return put(write, Optional.empty(), false);
  }

  @Override
  public CompletionStage<Void> send(Write write, String recipient) {
    return put(write, Optional.of(recipient), false);
  }

  @Override
  public CompletionStage<Void> offer(Write write, String recipient) {
    return put(write, Optional.of(recipient), true);
  }

  private synchronized CompletionStage<Void> put(
      Write write, Optional<String> recipient, boolean offered) {
    EntryKey.check(write.key());
    checkRunning();
    Optional<BlackboardException> refused = noted(gate.refusal(write));
    if (refused.isPresent()) {
      return CompletableFuture.failedStage(refused.get());
    }
    write.expectedVersion().ifPresent(version -> expect(write.key(), version));
    // The value of now: the body may go on changing its tree before the commit.
    change(
        new Change.Put(
            write.key(),
            write.value().deepCopy(),
            write.tags(),
            write.metadata(),
            write.ttl(),
            recipient,
            offered));
    return CompletableFuture.completedStage(null);
  }

  @Override
  public synchronized CompletionStage<Void> delete(String key) {
    EntryKey.check(key);
    checkRunning();
    Optional<BlackboardException> refused = noted(gate.refusal(Operation.DELETE, key));
    if (refused.isPresent()) {
      return CompletableFuture.failedStage(refused.get());
    }
    change(new Change.Remove(key));
    return CompletableFuture.completedStage(null);
  }

  private void expect(String key, long version) {
    switch (changes.get(key)) {
      case null -> expectedVersions.add(new CommitCondition.Version(key, version));
      case Change.Put put when version > 0 ->
          expectedVersions.add(new CommitCondition.Version(key, version - 1));
      case Change.Remove remove when version == 0 -> {}
      case Change own ->
          throw new IllegalArgumentException(
              "\"%s\" cannot have version %d: this transaction has %s it"
                  .formatted(key, version, own instanceof Change.Put ? "written" : "deleted"));
    }
  }

  /** Takes the place of an earlier one, behind all others. */
  private void change(Change change) {
    changes.remove(change.key());
    changes.put(change.key(), change);
  }

  /** The first refusal is what the transaction fails with. */
  private Optional<BlackboardException> noted(Optional<BlackboardException> why) {
    if (refusal.isEmpty()) {
      refusal = why;
    }
    return why;
  }

  private void checkRunning() {
    if (over) {
      throw new IllegalStateException(
          "the transaction is over: its body's stage has completed before this call");
    }
  }

  /** What is left of a run when its body has ended. */
  record Outcome(
      Optional<BlackboardException> refusal,
      List<CommitCondition> expectations,
      List<Change> changes) {}

  /** No call is taken any more. */
  synchronized Outcome end() {
    over = true;
    List<CommitCondition> expectations = new ArrayList<>(expectedVersions);
    found.forEach((key, entry) ->
        expectations.add(
            new CommitCondition.WrittenAt(
                key, entry.map(Entry::position).orElse(Position.BEGINNING))));
    return new Outcome(refusal, expectations, List.copyOf(changes.values()));
  }
}
