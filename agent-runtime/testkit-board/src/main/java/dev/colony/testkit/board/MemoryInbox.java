package dev.colony.testkit.board;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.Inbox;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.InboxStatistics;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.board.InboxBucket;
import dev.colony.blackboard.board.InboxBucket.InboxRoom;
import dev.colony.blackboard.board.InboxHints;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Requests and wakes in the order of their arrival, per bucket, and dead letters. */
final class MemoryInbox implements Inbox {

  private record Sleeper(Scope scope, String recipient) {}

  /** The newest write that matched while a wake is pending. */
  private record Match(String key, Position position) {}

  /** What counts as waiting. */
  private record Waiting(InboxRoom.Bound bound, String name) {}

  /** Failed deliveries of a message. */
  private record Counted(Failures failures, String attempt) {}

  private final InboxHints hints;
  private final BlackboardSettings.Inbox settings;
  private final InstantSource clock;
  private final List<NavigableMap<Long, InboxMessage>> pending;
  private final List<NavigableMap<Long, DeadLetter>> dead;
  private final List<Map<Waiting, Integer>> waiting;
  private final Map<String, Counted> failed = new HashMap<>();
  private final Map<String, Instant> since = new HashMap<>();
  private final Map<Sleeper, Match> woken = new HashMap<>();
  private long last;
  private boolean closed;

  MemoryInbox(
      int buckets, BlackboardSettings.Inbox settings, InstantSource clock, Executor listeners) {
    this.hints = new InboxHints(listeners);
    this.settings = settings;
    this.clock = clock;
    this.pending = each(buckets, TreeMap::new);
    this.dead = each(buckets, TreeMap::new);
    this.waiting = each(buckets, HashMap::new);
  }

  private static <T> List<T> each(int buckets, Supplier<T> empty) {
    return Stream.generate(empty).limit(buckets).toList();
  }

  /**
   * @throws dev.colony.blackboard.BlackboardException if nothing more may wait for the recipient
   */
  synchronized void checkRoom(Scope scope, String recipient) {
    Map<Waiting, Integer> counts = waiting.get(InboxBucket.of(scope, pending.size()));
    for (Waiting one : waiting(scope, recipient)) {
      int most =
          switch (one.bound()) {
            case RECIPIENT -> settings.mostPerRecipient();
            case TENANT -> settings.mostPerTenant();
            case BUCKET -> settings.mostPerBucket();
          };
      int count = counts.getOrDefault(one, 0);
      if (count >= most) {
        throw InboxRoom.full(one.bound(), count, recipient);
      }
    }
  }

  private static List<Waiting> waiting(Scope scope, String recipient) {
    return List.of(
        new Waiting(InboxRoom.Bound.RECIPIENT, recipient),
        new Waiting(InboxRoom.Bound.TENANT, scope.tenant()),
        new Waiting(InboxRoom.Bound.BUCKET, ""));
  }

  private void count(InboxMessage message, int change) {
    if (message instanceof InboxMessage.Request request && request.offered()) {
      Map<Waiting, Integer> counts = waiting.get(InboxBucket.of(request.scope(), pending.size()));
      for (Waiting one : waiting(request.scope(), request.recipient())) {
        counts.merge(one, change, (before, more) -> before + more == 0 ? null : before + more);
      }
    }
  }

  synchronized void put(
      Scope scope,
      String key,
      Position position,
      JsonNode value,
      String recipient,
      boolean offered) {
    put(new InboxMessage.Request(nextId(), recipient, scope, key, position, value, offered));
  }

  /** Puts a wake in, or, where one is pending, notes that there is more. */
  synchronized void wake(Scope scope, String recipient, String key, Position position) {
    Match before = woken.put(new Sleeper(scope, recipient), new Match(key, position));
    if (before == null) {
      put(new InboxMessage.Wake(nextId(), recipient, scope, key, position));
    }
  }

  /** What has matched until now is not to wake it again. */
  synchronized void wakeNoMore(Scope scope, String recipient) {
    woken.computeIfPresent(
        new Sleeper(scope, recipient), (any, match) -> new Match(match.key(), Position.BEGINNING));
  }

  synchronized void close() {
    closed = true;
  }

  private String nextId() {
    return Long.toString(++last);
  }

  private void put(InboxMessage message) {
    int bucket = InboxBucket.of(message.scope(), pending.size());
    pending.get(bucket).put(number(message.id()), message);
    since.put(message.id(), clock.instant());
    count(message, 1);
    hints.hint(bucket);
  }

  private static long number(String id) {
    return Long.parseLong(id);
  }

  /** Takes a message out; null where it is not there. */
  private InboxMessage take(int bucket, String id) {
    InboxMessage message = of(bucket).remove(number(id));
    failed.remove(id);
    since.remove(id);
    if (message != null) {
      count(message, -1);
    }
    return message;
  }

  @Override
  public int buckets() {
    return pending.size();
  }

  @Override
  public synchronized CompletionStage<List<InboxMessage>> pending(
      int bucket, Optional<String> after, int limit) {
    NavigableMap<Long, InboxMessage> all = of(bucket);
    return answer(() ->
        all.tailMap(after.map(MemoryInbox::number).orElse(0L), false).values().stream()
            .limit(limit)
            .map(MemoryInbox::copy)
            .toList());
  }

  @Override
  public synchronized CompletionStage<List<InboxMessage>> read(int bucket, List<String> ids) {
    NavigableMap<Long, InboxMessage> all = of(bucket);
    return answer(() ->
        ids.stream()
            .map(id -> all.get(number(id)))
            .filter(Objects::nonNull)
            .map(MemoryInbox::copy)
            .toList());
  }

  private <T> CompletionStage<T> answer(Supplier<T> value) {
    return closed ? MemoryBoardStore.refused() : CompletableFuture.completedStage(value.get());
  }

  /** So that no reader changes the value that another one is handed. */
  private static InboxMessage copy(InboxMessage message) {
    return switch (message) {
      case InboxMessage.Request request ->
          new InboxMessage.Request(
              request.id(),
              request.recipient(),
              request.scope(),
              request.key(),
              request.position(),
              request.value().deepCopy(),
              request.offered());
      case InboxMessage.Wake wake -> wake;
    };
  }

  @Override
  public synchronized CompletionStage<InboxStatistics> statistics() {
    return answer(() ->
        new InboxStatistics(
            pending.stream().mapToLong(Map::size).sum(),
            since.values().stream().min(Comparator.naturalOrder()),
            dead.stream().mapToLong(Map::size).sum()));
  }

  @Override
  public synchronized CompletionStage<Void> acknowledge(
      int bucket, Collection<? extends InboxMessage> messages) {
    of(bucket);
    return answer(() -> {
      for (InboxMessage message : messages) {
        if (take(bucket, message.id()) != null && message instanceof InboxMessage.Wake wake) {
          wakeAgain(wake);
        }
      }
      return null;
    });
  }

  @Override
  public synchronized CompletionStage<Failures> failed(int bucket, String id, String attempt) {
    boolean there = of(bucket).containsKey(number(id));
    return answer(() -> {
      Instant now = clock.instant();
      Counted before = failed.getOrDefault(id, new Counted(new Failures(0, now, now), ""));
      if (!there || before.attempt().equals(attempt)) {
        return before.failures();
      }
      Failures after = new Failures(before.failures().count() + 1, before.failures().first(), now);
      failed.put(id, new Counted(after, attempt));
      return after;
    });
  }

  @Override
  public synchronized CompletionStage<Boolean> bury(
      int bucket, InboxMessage.Request request, int least, String reason) {
    Instant now = clock.instant();
    NavigableMap<Long, DeadLetter> letters = letters(bucket);
    return answer(() -> {
      Failures failures =
          Optional.ofNullable(failed.get(request.id()))
              .map(Counted::failures)
              .orElse(new Failures(0, now, now));
      if (failures.count() < least
          || !(take(bucket, request.id()) instanceof InboxMessage.Request there)) {
        return false;
      }
      String id = nextId();
      letters.put(
          number(id),
          new DeadLetter(
              bucket,
              id,
              renamed(there, id, there.offered()),
              reason,
              failures.count(),
              failures.first(),
              failures.last(),
              now));
      while (letters.size() > settings.deadLetters()) {
        letters.pollFirstEntry();
      }
      expire(letters);
      return true;
    });
  }

  private void expire(NavigableMap<Long, DeadLetter> letters) {
    Instant least = clock.instant().minus(settings.keepDeadLetters());
    letters.values().removeIf(letter -> letter.at().isBefore(least));
  }

  private static InboxMessage.Request renamed(
      InboxMessage.Request request, String id, boolean offered) {
    return new InboxMessage.Request(
        id,
        request.recipient(),
        request.scope(),
        request.key(),
        request.position(),
        request.value(),
        offered);
  }

  @Override
  public synchronized CompletionStage<List<DeadLetter>> deadLetters(
      int bucket, Optional<String> after, int limit) {
    NavigableMap<Long, DeadLetter> letters = letters(bucket);
    return answer(() -> {
      expire(letters);
      return letters.tailMap(after.map(MemoryInbox::number).orElse(0L), false).values().stream()
          .limit(limit)
          .toList();
    });
  }

  @Override
  public synchronized CompletionStage<Optional<DeadLetter>> deadLetter(int bucket, String id) {
    NavigableMap<Long, DeadLetter> letters = letters(bucket);
    return answer(() -> Optional.ofNullable(letters.get(number(id))));
  }

  @Override
  public synchronized CompletionStage<Boolean> revive(int bucket, String id) {
    NavigableMap<Long, DeadLetter> letters = letters(bucket);
    return answer(() -> {
      DeadLetter letter = letters.remove(number(id));
      if (letter != null) {
        put(renamed(letter.request(), nextId(), false));
      }
      return letter != null;
    });
  }

  @Override
  public synchronized CompletionStage<Boolean> drop(int bucket, String id) {
    NavigableMap<Long, DeadLetter> letters = letters(bucket);
    return answer(() -> letters.remove(number(id)) != null);
  }

  @Override
  public synchronized CompletionStage<Void> trim(int bucket) {
    NavigableMap<Long, DeadLetter> letters = letters(bucket);
    return answer(() -> {
      expire(letters);
      return null;
    });
  }

  @Override
  public CompletionStage<Void> hint(int bucket) {
    hints.hint(Objects.checkIndex(bucket, pending.size()));
    return CompletableFuture.completedStage(null);
  }

  private void wakeAgain(InboxMessage.Wake seen) {
    Match newest = woken.remove(new Sleeper(seen.scope(), seen.recipient()));
    if (newest.position().compareTo(seen.position()) > 0) {
      wake(seen.scope(), seen.recipient(), newest.key(), newest.position());
    }
  }

  @Override
  public AutoCloseable onHint(IntConsumer listener) {
    return hints.listen(listener);
  }

  private NavigableMap<Long, InboxMessage> of(int bucket) {
    return pending.get(Objects.checkIndex(bucket, pending.size()));
  }

  private NavigableMap<Long, DeadLetter> letters(int bucket) {
    return dead.get(Objects.checkIndex(bucket, pending.size()));
  }
}
