package dev.colony.vcm.table;

import dev.colony.vcm.PageId;
import dev.colony.vcm.table.PageLeases.PageLock;
import dev.colony.vcm.table.PageLeases.PageRequest;
import dev.colony.vcm.table.TableSettings.LeaseBounds;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What one holder has locked and asked for. Pure: each method answers with what stands afterwards,
 * or why not. All of it are leases: of a holder that has died nothing is left when the last of them
 * has ended.
 *
 * @param at when it was last changed; grows with each change
 */
public record HolderLeases(
    String holder,
    Instant at,
    SortedMap<PageId, Instant> locks,
    SortedMap<PageId, PageRequest> requests) {

  private static final Pattern HOLDER = Pattern.compile("[^\\p{Cntrl}*?]{1,200}");

  /** What came of asking for leases. */
  public sealed interface Outcome {

    /** They stand. */
    record Granted(HolderLeases leases) implements Outcome {}

    /** None of them does: the one line says why, and what to do. */
    record Refused(String reason) implements Outcome {}
  }

  public HolderLeases {
    if (!HOLDER.matcher(holder).matches()) {
      throw new IllegalArgumentException(
          "a holder is 1 to 200 characters without control characters, * and ?, not: " + holder);
    }
    locks = Collections.unmodifiableSortedMap(new TreeMap<>(locks));
    requests = Collections.unmodifiableSortedMap(new TreeMap<>(requests));
  }

  /** Of a holder that has nothing. */
  public static HolderLeases none(String holder) {
    return new HolderLeases(holder, Instant.EPOCH, new TreeMap<>(), new TreeMap<>());
  }

  /** Without what has ended by then. */
  public HolderLeases at(Instant now) {
    TreeMap<PageId, Instant> locked = new TreeMap<>(locks);
    locked.values().removeIf(until -> !until.isAfter(now));
    TreeMap<PageId, PageRequest> asked = new TreeMap<>(requests);
    asked.values().removeIf(request -> !request.until().isAfter(now));
    return new HolderLeases(holder, at, locked, asked);
  }

  public boolean isEmpty() {
    return locks.isEmpty() && requests.isEmpty();
  }

  /** When the last of them ends; empty where there is none. */
  public Optional<Instant> end() {
    return Stream.concat(
            locks.values().stream(), requests.values().stream().map(PageRequest::until))
        .max(Instant::compareTo);
  }

  /** All locks, in the order of the pages. */
  public List<PageLock> pageLocks() {
    return locks.entrySet().stream()
        .map(lock -> new PageLock(lock.getKey(), holder, lock.getValue()))
        .toList();
  }

  /**
   * Locks pages, all or none. One that is locked keeps the later of both ends: a lock is only
   * shortened by {@link #unlocked}.
   */
  Outcome locked(Collection<PageId> pages, Duration lease, Instant now, LeaseBounds settings) {
    Optional<String> refusal = tooLong("a page is locked", lease, settings);
    if (refusal.isPresent()) {
      return new Outcome.Refused(refusal.get());
    }
    TreeMap<PageId, Instant> locked = new TreeMap<>(at(now).locks);
    Instant until = now.plus(lease);
    pages.forEach(page -> locked.merge(page, until, HolderLeases::later));
    if (locked.size() > settings.locks()) {
      return new Outcome.Refused(
          "%s would have %d pages locked, but %d is the most: unlock some"
              .formatted(holder, locked.size(), settings.locks()));
    }
    return granted(now, locked, at(now).requests);
  }

  /** Has locks that stand end so long from now, if that is later; all or none. */
  Outcome extended(Collection<PageId> pages, Duration lease, Instant now, LeaseBounds settings) {
    TreeMap<PageId, Instant> locked = new TreeMap<>(at(now).locks);
    for (PageId page : new TreeSet<>(pages)) {
      if (!locked.containsKey(page)) {
        return new Outcome.Refused(
            "%s has no lock of page %s, or it has ended: lock it".formatted(holder, page));
      }
    }
    return locked(pages, lease, now, settings);
  }

  /** Ends locks; of pages that are not locked nothing is said. */
  HolderLeases unlocked(Collection<PageId> pages, Instant now) {
    TreeMap<PageId, Instant> locked = new TreeMap<>(at(now).locks);
    locked.keySet().removeAll(new TreeSet<>(pages));
    return changed(now, locked, at(now).requests);
  }

  /** Asks for pages, all or none. One that is asked for keeps its age. */
  Outcome requested(
      Collection<PageId> pages, int priority, Duration lease, Instant now, LeaseBounds settings) {
    Optional<String> refusal = tooLong("a page is asked for", lease, settings);
    if (refusal.isPresent()) {
      return new Outcome.Refused(refusal.get());
    }
    TreeMap<PageId, PageRequest> asked = new TreeMap<>(at(now).requests);
    Instant until = now.plus(lease);
    for (PageId page : pages) {
      Instant since = asked.containsKey(page) ? asked.get(page).since() : now;
      asked.put(page, new PageRequest(page, holder, priority, since, until));
    }
    if (asked.size() > settings.requests()) {
      return new Outcome.Refused(
          "%s would ask for %d pages, but the most are %d: cancel some"
              .formatted(holder, asked.size(), settings.requests()));
    }
    return granted(now, at(now).locks, asked);
  }

  /** Takes requests back; of pages that are not asked for nothing is said. */
  HolderLeases cancelled(Collection<PageId> pages, Instant now) {
    TreeMap<PageId, PageRequest> asked = new TreeMap<>(at(now).requests);
    asked.keySet().removeAll(new TreeSet<>(pages));
    return changed(now, at(now).locks, asked);
  }

  private static Optional<String> tooLong(String what, Duration lease, LeaseBounds settings) {
    boolean fits =
        lease.compareTo(Duration.ofMillis(1)) >= 0 && lease.compareTo(settings.longest()) <= 0;
    return fits
        ? Optional.empty()
        : Optional.of(
            "%s for 1 ms to %s, not %s"
                .formatted(what, seconds(settings.longest()), seconds(lease)));
  }

  private static String seconds(Duration time) {
    return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }

  private Outcome granted(
      Instant now, SortedMap<PageId, Instant> locked, SortedMap<PageId, PageRequest> asked) {
    return new Outcome.Granted(changed(now, locked, asked));
  }

  private HolderLeases changed(
      Instant now, SortedMap<PageId, Instant> locked, SortedMap<PageId, PageRequest> asked) {
    // Clocks may stand still: what is later has to look later.
    return new HolderLeases(holder, later(now, at.plusMillis(1)), locked, asked);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
