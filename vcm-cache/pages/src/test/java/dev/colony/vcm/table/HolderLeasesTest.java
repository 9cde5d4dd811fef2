package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.HolderLeases.Outcome;
import dev.colony.vcm.table.NodeReport.PageUses;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageLeases.PageLock;
import dev.colony.vcm.table.PageTableSnapshot.PendingFault;
import dev.colony.vcm.table.TableSettings.LeaseBounds;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Locks and requests over time, against a record of who has been promised what. */
class HolderLeasesTest {

  private static final LeaseBounds SETTINGS = new LeaseBounds(4, 3, Duration.ofSeconds(100));
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final ReplicaId REPLICA = new ReplicaId("r");
  private static final NodeAddress NODE = new NodeAddress("127.0.0.1:1");
  private static final int PAGES = 6;

  /** Something that happens to a page table. */
  private sealed interface Event {

    record Lock(int holder, List<Integer> pages, int seconds) implements Event {}

    record Extend(int holder, List<Integer> pages, int seconds) implements Event {}

    record Unlock(int holder, List<Integer> pages) implements Event {}

    record Ask(int holder, List<Integer> pages, int priority, int seconds) implements Event {}

    record Read(int page) implements Event {}

    record ReadEnds(int page) implements Event {}

    record Evict(int tokens) implements Event {}

    record Wait(int seconds) implements Event {}
  }

  @Provide
  Arbitrary<List<Event>> events() {
    Arbitrary<Integer> holder = Arbitraries.integers().between(0, 2);
    Arbitrary<Integer> page = Arbitraries.integers().between(0, PAGES - 1);
    Arbitrary<List<Integer>> pages = page.list().ofMinSize(1).ofMaxSize(3);
    Arbitrary<Integer> seconds = Arbitraries.integers().between(1, 110);
    return Arbitraries.<Event>oneOf(
            Combinators.combine(holder, pages, seconds).as(Event.Lock::new),
            Combinators.combine(holder, pages, seconds).as(Event.Extend::new),
            Combinators.combine(holder, pages).as(Event.Unlock::new),
            Combinators.combine(holder, pages, Arbitraries.integers().between(0, 9), seconds)
                .as(Event.Ask::new),
            page.map(Event.Read::new),
            page.map(Event.ReadEnds::new),
            Arbitraries.integers().between(1, 60).map(Event.Evict::new),
            Arbitraries.integers().between(1, 60).map(Event.Wait::new))
        .list()
        .ofMaxSize(60);
  }

  /** A model of the same, a table with it, and what was promised to whom. */
  private static final class Life {

    private final Map<String, Map<PageId, Instant>> promised = new HashMap<>();
    private final Map<PageId, Integer> reading = new HashMap<>();
    private final TableState state = new TableState();
    private final PageUseTracker tracker = new PageUseTracker(NODE, 1, 3);
    private final Map<PageId, Integer> cache = new HashMap<>();
    private Instant now = START;
    private long version;

    Life() {
      IntStream.range(0, PAGES).forEach(i -> cache.put(Fixtures.page(i), 10));
      report();
    }

    private void report() {
      state.add(
          new ReplicaResidency(
              REPLICA, NODE, URI.create("http://127.0.0.1:1/v1"), 1, ++version, cache));
    }

    private HolderLeases of(int holder) {
      return state.leases("h" + holder).orElse(HolderLeases.none("h" + holder));
    }

    private Map<PageId, Instant> promisedTo(int holder) {
      Map<PageId, Instant> own = promised.computeIfAbsent("h" + holder, key -> new HashMap<>());
      own.values().removeIf(until -> !until.isAfter(now));
      return own;
    }

    private static List<PageId> ids(List<Integer> pages) {
      return pages.stream().map(Fixtures::page).toList();
    }

    void happens(Event event) {
      switch (event) {
        case Event.Lock(int holder, List<Integer> pages, int seconds) ->
            lock(
                holder,
                pages,
                seconds,
                of(holder).locked(ids(pages), Duration.ofSeconds(seconds), now, SETTINGS),
                true);
        case Event.Extend(int holder, List<Integer> pages, int seconds) ->
            lock(
                holder,
                pages,
                seconds,
                of(holder).extended(ids(pages), Duration.ofSeconds(seconds), now, SETTINGS),
                promisedTo(holder).keySet().containsAll(ids(pages)));
        case Event.Unlock(int holder, List<Integer> pages) -> {
          state.add(of(holder).unlocked(ids(pages), now));
          promisedTo(holder).keySet().removeAll(ids(pages));
        }
        case Event.Ask(int holder, List<Integer> pages, int priority, int seconds) -> {
          Outcome outcome =
              of(holder)
                  .requested(ids(pages), priority, Duration.ofSeconds(seconds), now, SETTINGS);
          if (outcome instanceof Outcome.Granted granted) {
            assertThat(granted.leases().requests()).hasSizeLessThanOrEqualTo(SETTINGS.requests());
            state.add(granted.leases());
          }
        }
        case Event.Read(int page) -> {
          reading.merge(Fixtures.page(page), 1, Integer::sum);
          tracker.began(REPLICA, ids(List.of(page)), cache::containsKey, now);
          state.add(tracker.report());
        }
        case Event.ReadEnds(int page) -> {
          if (reading.getOrDefault(Fixtures.page(page), 0) > 0) {
            reading.merge(Fixtures.page(page), -1, Integer::sum);
            tracker.ended(REPLICA, ids(List.of(page)), now);
            state.add(tracker.report());
          }
        }
        case Event.Evict(int tokens) -> evict(tokens);
        case Event.Wait(int seconds) -> now = now.plusSeconds(seconds);
      }
    }

    private void lock(int holder, List<Integer> pages, int seconds, Outcome outcome, boolean may) {
      Map<PageId, Instant> own = promisedTo(holder);
      Map<PageId, Instant> wanted = new HashMap<>(own);
      ids(pages)
          .forEach(page ->
              wanted.merge(
                  page, now.plusSeconds(seconds), (one, two) -> one.isAfter(two) ? one : two));
      boolean fits = may && seconds <= 100 && wanted.size() <= SETTINGS.locks();
      switch (outcome) {
        case Outcome.Granted granted -> {
          assertThat(fits).isTrue();
          assertThat(granted.leases().locks()).isEqualTo(wanted);
          state.add(granted.leases());
          own.putAll(wanted);
        }
        case Outcome.Refused refused -> assertThat(fits).as(refused.reason()).isFalse();
      }
    }

    private void evict(int tokens) {
      List<PageEntry> victims = state.snapshot().victims(REPLICA, tokens, now);
      for (PageEntry victim : victims) {
        PageId page = victim.page();
        for (int holder = 0; holder < 3; holder++) {
          assertThat(promisedTo(holder)).doesNotContainKey(page);
        }
        assertThat(reading.getOrDefault(page, 0)).isZero();
        assertThat(cache.remove(page)).isNotNull();
      }
      boolean others =
          cache.keySet().stream()
              .anyMatch(page ->
                  reading.getOrDefault(page, 0) == 0
                      && IntStream.range(0, 3)
                          .noneMatch(holder -> promisedTo(holder).containsKey(page)));
      assertThat(victims.size() * 10 >= tokens || !others)
          .as("all that may go, where it is needed")
          .isTrue();
      report();
    }

    void check() {
      List<PageLock> all = new ArrayList<>();
      promised.keySet().stream()
          .sorted()
          .forEach(holder -> {
            Map<PageId, Instant> own = promisedTo(Integer.parseInt(holder.substring(1)));
            own.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(one -> all.add(new PageLock(one.getKey(), holder, one.getValue())));
          });
      PageTableSnapshot table = state.snapshot();
      assertThat(table.locks(now)).isEqualTo(all);
      List<PendingFault> faults = table.faults(now);
      assertThat(faults).isSortedAccordingTo(PendingFault.ORDER);
      assertThat(faults).allMatch(fault -> !cache.containsKey(fault.page()));
      for (int i = 0; i < PAGES; i++) {
        PageId page = Fixtures.page(i);
        PageEntry entry = table.entry(REPLICA, page, now);
        assertThat(entry.readers()).isEqualTo(reading.getOrDefault(page, 0));
        assertThat(entry.tokens()).isEqualTo(cache.getOrDefault(page, 0));
      }
    }
  }

  @Property(tries = 400)
  void aLockedPageIsNeverEvictedBeforeItsLeaseEnds(@ForAll("events") List<Event> events) {
    Life life = new Life();
    for (Event event : events) {
      life.happens(event);
      life.check();
    }
  }

  @Property(tries = 200)
  void whatIsStoredIsReadAsItWas(@ForAll("events") List<Event> events) {
    Life life = new Life();
    events.forEach(life::happens);
    for (int holder = 0; holder < 3; holder++) {
      HolderLeases leases = life.of(holder);
      assertThat(TableEntries.leases(leases.holder(), TableEntries.write(leases)))
          .isEqualTo(leases);
    }
    PageUses uses = life.tracker.report();
    assertThat(TableEntries.uses(NODE, TableEntries.write((NodeReport) uses))).isEqualTo(uses);
  }

  @Test
  void refusalsSayWhatToDo() {
    HolderLeases none = HolderLeases.none("h");
    List<PageId> five = IntStream.range(0, 5).mapToObj(Fixtures::page).toList();
    assertThat(none.locked(five, Duration.ofSeconds(1), START, SETTINGS))
        .isEqualTo(
            new Outcome.Refused("h would have 5 pages locked, but 4 is the most: unlock some"));
    assertThat(none.locked(five.subList(0, 1), Duration.ofSeconds(101), START, SETTINGS))
        .isEqualTo(new Outcome.Refused("a page is locked for 1 ms to 100 s, not 101 s"));
    assertThat(none.extended(five.subList(0, 1), Duration.ofSeconds(1), START, SETTINGS))
        .isEqualTo(
            new Outcome.Refused(
                "h has no lock of page " + five.getFirst() + ", or it has ended: lock it"));
    assertThat(none.requested(five, 1, Duration.ofSeconds(1), START, SETTINGS))
        .isEqualTo(new Outcome.Refused("h would ask for 5 pages, but the most are 3: cancel some"));
    assertThatThrownBy(() -> HolderLeases.none("a*"))
        .hasMessageStartingWith("a holder is 1 to 200 characters");
  }

  @Test
  void askingAgainKeepsTheAgeAndTakesTheNewPriority() {
    List<PageId> page = List.of(Fixtures.page(1));
    TableState state = new TableState();
    ask(state, "a", page, 2, START);
    ask(state, "a", page, 4, START.plusSeconds(5));
    ask(state, "b", page, 3, START.plusSeconds(6));
    PendingFault fault = state.snapshot().faults(START.plusSeconds(7)).getFirst();
    assertThat(fault.priority()).isEqualTo(4);
    assertThat(fault.age(START.plusSeconds(7))).isEqualTo(Duration.ofSeconds(7));
    assertThat(fault.waiters()).containsExactly("a", "b");
    assertThat(state.snapshot().faults(START.plusSeconds(35)).getFirst().waiters())
        .as("the lease of one has ended")
        .containsExactly("b");
  }

  private static void ask(
      TableState state, String holder, List<PageId> pages, int priority, Instant now) {
    HolderLeases before = state.leases(holder).orElse(HolderLeases.none(holder));
    Outcome.Granted granted =
        (Outcome.Granted) before.requested(pages, priority, Duration.ofSeconds(30), now, SETTINGS);
    state.add(granted.leases());
  }

  @Test
  void aPageGivenUpGoesFirstUnlessItIsUsedAgain() {
    TableState state = new TableState();
    PageUseTracker tracker = new PageUseTracker(NODE, 1, 10);
    Map<PageId, Integer> pages = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      pages.put(Fixtures.page(i), 10);
      use(tracker, i, START.plusSeconds(i));
    }
    state.add(
        new ReplicaResidency(REPLICA, NODE, URI.create("http://127.0.0.1:1/v1"), 1, 1, pages));
    tracker.evicting(REPLICA, List.of(Fixtures.page(2), Fixtures.page(1)), START.plusSeconds(9));
    use(tracker, 1, START.plusSeconds(10));
    state.add(tracker.report());
    PageTableSnapshot table = state.snapshot();
    Instant now = START.plusSeconds(11);
    assertThat(table.entry(REPLICA, Fixtures.page(2), now).state()).isEqualTo(PageState.EVICTING);
    assertThat(table.entry(REPLICA, Fixtures.page(1), now).state()).isEqualTo(PageState.RESIDENT);
    assertThat(table.entry(REPLICA, Fixtures.page(4), now).state()).isEqualTo(PageState.ABSENT);
    assertThat(table.victims(REPLICA, 1_000, now))
        .extracting(PageEntry::page)
        .containsExactly(Fixtures.page(2), Fixtures.page(0), Fixtures.page(1));
    assertThat(table.victims(REPLICA, 11, now)).hasSize(2);
    assertThat(table.entry(REPLICA, Fixtures.page(1), now).lastUse())
        .isEqualTo(Optional.of(START.plusSeconds(10)));
  }

  private static void use(PageUseTracker tracker, int page, Instant at) {
    tracker.began(REPLICA, List.of(Fixtures.page(page)), one -> true, at);
    tracker.ended(REPLICA, List.of(Fixtures.page(page)), at);
  }
}
