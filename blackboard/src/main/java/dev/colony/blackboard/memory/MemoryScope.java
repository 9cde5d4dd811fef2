package dev.colony.blackboard.memory;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.feed.EventLog;
import dev.colony.blackboard.feed.Feed;
import dev.colony.blackboard.feed.LoggedEvent;
import dev.colony.blackboard.key.EntryKey;
import dev.colony.blackboard.key.KeyGlob;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

  MemoryScope(Scope scope, int eventsKept, int buffer, Executor subscribers) {
    this.scope = scope;
    this.eventsKept = eventsKept;
    this.feed = new Feed(this, buffer, subscribers, empty -> {});
  }

  Feed feed() {
    return feed;
  }

  /**
   * @param stored run in the same atomic step, if the write happens
   */
  synchronized WriteResult write(
      Write write, JsonNode value, String writer, Instant now, Runnable stored) {
    Optional<Entry> found = read(write.key(), now);
    long version = found.map(Entry::version).orElse(0L);
    if (write.expectedVersion().orElse(version) != version) {
      return new WriteResult.VersionConflict(version);
    }
    Instant at = now.truncatedTo(ChronoUnit.MILLIS);
    Entry entry =
        new Entry(
            write.key(),
            value,
            version + 1,
            found.map(Entry::createdAt).orElse(at),
            found.map(Entry::createdBy).orElse(writer),
            at,
            writer,
            write.tags(),
            write.metadata(),
            write.ttl().map(at::plus));
    entries.put(write.key(), entry);
    Position position = new Position(head.major() + 1, 0);
    store(
        new BlackboardEvent.Written(
            scope, write.key(), position, at, writer, value, version + 1, write.tags()));
    stored.run();
    return new WriteResult.Written(version + 1, position);
  }

  synchronized boolean delete(String key, String writer, Instant now) {
    Optional<Entry> found = read(key, now);
    entries.remove(key);
    found.ifPresent(entry ->
        store(
            new BlackboardEvent.Deleted(
                scope,
                key,
                new Position(head.major() + 1, 0),
                now.truncatedTo(ChronoUnit.MILLIS),
                writer,
                entry.version())));
    return found.isPresent();
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
  public synchronized CompletionStage<List<LoggedEvent>> read(Position after, int limit) {
    return CompletableFuture.completedStage(
        events.tailMap(after, false).values().stream().limit(limit).toList());
  }
}
