package dev.colony.blackboard.memory;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.feed.EventLog;
import dev.colony.blackboard.feed.Feed;
import dev.colony.blackboard.feed.LoggedEvent;
import dev.colony.blackboard.key.EntryKey;
import dev.colony.blackboard.key.KeyGlob;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** The entries and events of one scope. Its lock is what the scripts are in Redis. */
final class MemoryScope implements EventLog {

  private final Scope scope;
  private final int eventsKept;
  private final Feed feed;
  private final NavigableMap<String, Entry> entries = new TreeMap<>(EntryKey.ORDER);
  private final NavigableMap<Position, LoggedEvent> events = new TreeMap<>();
  private Position head = Position.BEGINNING;

  MemoryScope(
      Scope scope, int eventsKept, BlackboardSettings.Subscriber limits, Executor subscribers) {
    this.scope = scope;
    this.eventsKept = eventsKept;
    this.feed = new Feed(this, limits, subscribers, empty -> {});
  }

  Feed feed() {
    return feed;
  }

  private void store(BlackboardEvent event) {
    MemoryEvent logged = new MemoryEvent(event, head);
    head = event.position();
    events.put(head, logged);
    if (events.size() > eventsKept) {
      events.pollFirstEntry();
    }
    feed.push(logged);
  }

  synchronized Optional<Entry> read(String key, Instant now) {
    return Optional.ofNullable(entries.get(key)).filter(entry -> visible(entry, now));
  }

  synchronized List<Entry> query(KeyGlob glob, int limit, Instant now) {
    // What has expired goes here, where all is walked anyway.
    entries.values().removeIf(entry -> !visible(entry, now));
    return entries.values().stream().filter(e -> glob.matches(e.key())).limit(limit).toList();
  }

  private static boolean visible(Entry entry, Instant now) {
    return entry.expiresAt().map(now::isBefore).orElse(true);
  }

  @Override
  public synchronized CompletionStage<Position> head() {
    return CompletableFuture.completedStage(head);
  }

  @Override
  public synchronized CompletionStage<Page> read(Position after, int limit, long maxBytes) {
    List<LoggedEvent> found = events.tailMap(after, false).values().stream().limit(limit).toList();
    return CompletableFuture.completedStage(new Page(found, found.size() < limit));
  }

  @Override
  public CompletionStage<Position> acknowledged(SubscribeFrom.Durable durable) {
    throw new UnsupportedOperationException();
  }
}
