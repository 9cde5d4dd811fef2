package dev.colony.testkit.board;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeStatistics;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.Commit;
import dev.colony.blackboard.board.BoardStore.CommitCondition;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.board.Feed;
import dev.colony.blackboard.board.ScopeEventLog;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.ValueCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The entries and events of one scope. Its lock is what the scripts are in Redis: every operation
 * is one step, which begins by removing what has expired. Values are encoded and decoded outside.
 */
final class MemoryScope implements ScopeEventLog {

  private final Scope scope;
  private final InstantSource clock;
  private final ValueCodec codec;
  private final MemoryInbox inbox;
  private final Feed feed;

  private final MemoryEntries entries = new MemoryEntries();
  private final MemoryUses uses = new MemoryUses();
  private final MemoryLog log;
  private final Map<String, List<KeyGlob>> wakes = new HashMap<>();

  /** Read without the lock, so that a sweep passes by where there is nothing to do. */
  private volatile Instant nextExpiry = Instant.MAX;

  MemoryScope(
      Scope scope,
      BlackboardSettings settings,
      InstantSource clock,
      ValueCodec codec,
      MemoryInbox inbox,
      Executor subscribers) {
    this.scope = scope;
    this.clock = clock;
    this.codec = codec;
    this.inbox = inbox;
    this.log = new MemoryLog(settings.events());
    this.feed = new Feed(this, settings.bounds().subscriber(), subscribers, empty -> {});
  }

  Scope scope() {
    return scope;
  }

  Feed feed() {
    return feed;
  }

  /**
   * @param values of the changes, in their order; what stands for one that has none is not looked
   *     at
   */
  synchronized CommitOutcome commit(Commit commit, List<byte[]> values) {
    Instant now = expire();
    Optional<CommitOutcome.Failed> failed = failed(commit.expectations());
    if (failed.isPresent()) {
      return failed.get();
    }
    for (Change change : commit.changes()) {
      if (change instanceof Change.Put put && put.offered()) {
        inbox.checkRoom(scope, put.recipient().orElseThrow());
      }
    }
    List<Optional<CommitOutcome.Changed>> changed = new ArrayList<>();
    Set<String> written = new HashSet<>();
    for (int i = 0; i < values.size(); i++) {
      switch (commit.changes().get(i)) {
        case Change.Put put -> {
          changed.add(Optional.of(put(put, values.get(i), now, commit.writer())));
          written.add(put.key());
        }
        case Change.Limit limit -> {
          entries
              .get(limit.key())
              .ifPresent(entry -> entries.put(entry.expiring(now, limit.ttl())));
          changed.add(Optional.empty());
        }
        case Change.Remove remove -> changed.add(remove(remove.key(), now, commit.writer(), false));
      }
    }
    commit.eviction().ifPresent(eviction -> evict(eviction, written, now, commit.writer()));
    nextExpiry = entries.nextExpiry();
    return new CommitOutcome.Done(changed, log.head());
  }

  private Optional<CommitOutcome.Failed> failed(List<CommitCondition> expectations) {
    for (CommitCondition expectation : expectations) {
      Optional<MemoryEntry> entry = entries.get(expectation.key());
      long version = entry.map(MemoryEntry::version).orElse(0L);
      boolean holds =
          switch (expectation) {
            case CommitCondition.Version expected -> expected.version() == version;
            case CommitCondition.WrittenAt expected ->
                expected
                    .position()
                    .equals(entry.map(MemoryEntry::position).orElse(Position.BEGINNING));
          };
      if (!holds) {
        return Optional.of(new CommitOutcome.Failed(expectation.key(), version));
      }
    }
    return Optional.empty();
  }

  private CommitOutcome.Changed put(Change.Put put, byte[] value, Instant now, String writer) {
    Optional<MemoryEntry> old = entries.get(put.key());
    MemoryEntry entry = MemoryEntry.written(put, value, old, log.next(now), now, writer);
    entries.put(entry);
    uses.written(put.key());
    store(MemoryEvent.written(scope, entry, entry.version() - 1, log.head(), codec));
    put.recipient()
        .ifPresent(to ->
            inbox.put(scope, put.key(), entry.position(), codec.value(value), to, put.offered()));
    wake(put.key(), writer);
    return new CommitOutcome.Changed(entry.version(), entry.position());
  }

  private void wake(String key, String writer) {
    wakes.forEach((recipient, globs) -> {
      if (!recipient.equals(writer) && globs.stream().anyMatch(glob -> glob.matches(key))) {
        inbox.wake(scope, recipient, key, log.head());
      }
    });
  }

  private Optional<CommitOutcome.Changed> remove(
      String key, Instant now, String writer, boolean evicted) {
    return entries
        .get(key)
        .map(entry -> {
          entries.remove(key);
          uses.remove(key);
          store(
              MemoryEvent.of(
                  new BlackboardEvent.Deleted(
                      scope,
                      key,
                      log.next(now),
                      now,
                      writer,
                      entry.version(),
                      entry.tags(),
                      evicted),
                  log.head()));
          return new CommitOutcome.Changed(entry.version(), log.head());
        });
  }

  private void evict(Eviction eviction, Set<String> written, Instant now, String writer) {
    while (entries.size() > eviction.maxEntries()) {
      Optional<String> victim = uses.victim(eviction.order(), written);
      if (victim.isEmpty()) {
        return;
      }
      remove(victim.get(), now, writer, true);
    }
  }

  synchronized List<Optional<MemoryEntry>> read(List<String> keys, boolean touch) {
    expire();
    List<Optional<MemoryEntry>> found = keys.stream().map(entries::get).toList();
    if (touch) {
      found.forEach(entry -> entry.ifPresent(used -> uses.read(used.key())));
    }
    return found;
  }

  synchronized MemoryEntries.Page query(Query query) {
    expire();
    return entries.query(query);
  }

  synchronized long clear(String writer) {
    Instant now = expire();
    int count = entries.size();
    if (count > 0) {
      entries.clear();
      uses.clear();
      nextExpiry = Instant.MAX;
      store(
          MemoryEvent.of(
              new BlackboardEvent.Cleared(scope, log.next(now), now, writer, count), log.head()));
    }
    return count;
  }

  synchronized void acknowledge(String subscription, Position position) {
    log.acknowledge(subscription, position);
  }

  synchronized boolean forget(String subscription) {
    return log.forget(subscription);
  }

  synchronized void wakeOn(String recipient, Collection<KeyGlob> globs) {
    if (globs.isEmpty()) {
      wakes.remove(recipient);
      inbox.wakeNoMore(scope, recipient);
    } else {
      wakes.put(recipient, List.copyOf(globs));
    }
  }

  synchronized ScopeStatistics statistics() {
    expire();
    return new ScopeStatistics(entries.size(), log.size(), log.head(), log.durables());
  }

  /** Stores the events of what has expired; costs nothing where nothing has. */
  void sweep() {
    if (!now().isBefore(nextExpiry)) {
      synchronized (this) {
        expire();
      }
    }
  }

  /** See {@link dev.colony.blackboard.Blackboards#trim}; whether the scope is gone. */
  synchronized boolean trim(Duration age) {
    long before = expire().minus(age).toEpochMilli();
    Position head = log.head();
    if (!log.durables().isEmpty() || head.equals(Position.BEGINNING)) {
      return false;
    }
    boolean gone = head.millis() < before && entries.size() == 0 && wakes.isEmpty();
    if (gone) {
      log.clear();
    } else {
      log.trim(before);
    }
    return gone;
  }

  private Instant expire() {
    Instant now = now();
    while (!now.isBefore(entries.nextExpiry())) {
      MemoryEntry entry = entries.nextExpiring();
      entries.remove(entry.key());
      uses.remove(entry.key());
      store(
          MemoryEvent.of(
              new BlackboardEvent.Expired(
                  scope,
                  entry.key(),
                  log.next(now),
                  now,
                  entry.updatedBy(),
                  entry.version(),
                  entry.tags()),
              log.head()));
    }
    nextExpiry = entries.nextExpiry();
    return now;
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MILLIS);
  }

  private void store(MemoryEvent event) {
    log.append(event);
    feed.push(event);
  }

  @Override
  public synchronized CompletionStage<Position> head() {
    expire();
    return CompletableFuture.completedStage(log.head());
  }

  @Override
  public synchronized CompletionStage<Page> read(Position after, int limit, long maxBytes) {
    expire();
    return CompletableFuture.completedStage(log.read(after, limit, maxBytes));
  }

  @Override
  public synchronized CompletionStage<Position> acknowledged(SubscribeFrom.Durable durable) {
    expire();
    return CompletableFuture.completedStage(log.acknowledged(durable));
  }
}
