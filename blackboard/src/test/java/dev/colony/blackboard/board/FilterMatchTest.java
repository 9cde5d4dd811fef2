package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventFilters;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.board.ScopeEventLog.FilterMatch;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Filters against a naive evaluation, and the logic of events without a key. */
class FilterMatchTest {

  private static final Head CLEARED =
      new Head(EventType.CLEARED, Optional.empty(), "alice", Set.of());

  private record Head(EventType type, Optional<String> key, String writer, Set<String> tags)
      implements LoggedEvent {

    @Override
    public Position position() {
      return Position.BEGINNING;
    }

    @Override
    public Position previous() {
      return Position.BEGINNING;
    }

    @Override
    public int bytes() {
      return 0;
    }

    @Override
    public BlackboardEvent event() {
      throw new AssertionError("a filter must not have the event decoded");
    }
  }

  @Property
  void eventOfAnEntryPassesWhereTheFilterHolds(
      @ForAll("filters") EventFilter filter, @ForAll("events") Head event) {
    assertThat(FilterMatch.passes(filter, event)).isEqualTo(holds(filter, event));
  }

  @Property
  void whatAFilterKeepsOutItsNegationLetsPass(
      @ForAll("filters") EventFilter filter, @ForAll("events") Head event) {
    assertThat(FilterMatch.passes(filter.negate(), event))
        .isNotEqualTo(FilterMatch.passes(filter, event));
    assertThat(FilterMatch.passes(filter, CLEARED) || FilterMatch.passes(filter.negate(), CLEARED))
        .isTrue();
  }

  /** Whatever answers the unknown had: where they all are no, so is the whole. */
  @Property
  void eventOfTheWholeScopePassesWhereverAnyEntryWould(
      @ForAll("filters") EventFilter filter, @ForAll("events") Head entry) {
    Head cleared = new Head(entry.type(), Optional.empty(), entry.writer(), Set.of());
    if (holds(filter, entry)) {
      assertThat(FilterMatch.passes(filter, cleared)).isTrue();
    }
  }

  @Example
  void clearedPassesPatternsForKeysAndTagsUnlessItsTypeOrWriterDoesNot() {
    EventFilter finding = EventFilter.keys("finding:*");
    assertPasses(finding, true);
    assertPasses(finding.negate(), true);
    assertPasses(EventFilter.tag("x"), true);
    assertPasses(EventFilter.tag("x").negate(), true);
    assertPasses(finding.and(EventFilter.types(EventType.WRITTEN)), false);
    assertPasses(finding.and(EventFilter.types(EventType.WRITTEN, EventType.CLEARED)), true);
    assertPasses(finding.and(EventFilter.writers("bob")), false);
    assertPasses(finding.or(EventFilter.writers("bob")), true);
    assertPasses(finding.or(EventFilter.writers("bob")).negate(), true);
    assertPasses(EventFilter.types(EventType.CLEARED).negate().or(finding), true);
    assertPasses(EventFilter.types(EventType.CLEARED).negate(), false);
    assertPasses(new EventFilter.And(List.of()), true);
    assertPasses(new EventFilter.Or(List.of()), false);
  }

  private static void assertPasses(EventFilter filter, boolean expected) {
    assertThat(FilterMatch.passes(filter, CLEARED)).as(filter.toString()).isEqualTo(expected);
  }

  private static boolean holds(EventFilter filter, Head event) {
    return EventFilters.holds(
        filter, event.type(), event.key().orElseThrow(), event.writer(), event.tags());
  }

  @Provide
  Arbitrary<Head> events() {
    return Combinators.combine(
            Arbitraries.of(EventType.WRITTEN, EventType.DELETED, EventType.EXPIRED),
            Arbitraries.of(EventFilters.KEYS),
            Arbitraries.of(EventFilters.WRITERS),
            Arbitraries.of(EventFilters.TAGS).set())
        .as((type, key, writer, tags) -> new Head(type, Optional.of(key), writer, tags));
  }

  @Provide
  Arbitrary<EventFilter> filters() {
    return EventFilters.any();
  }
}
