package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.board.ScopeEventLog.History;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class HistoryTest {

  @Property
  void historyIsTheOldestEventsThatPassHoweverThePagesFall(
      @ForAll @IntRange(max = 40) int stored,
      @ForAll @IntRange(max = 41) int after,
      @ForAll @IntRange(min = 1, max = 9) int page,
      @ForAll @IntRange(min = 1, max = 30) int limit,
      @ForAll boolean evenOnly) {
    TestLog log = new TestLog().pages(page);
    IntStream.range(0, stored).forEach(n -> log.append());
    EventFilter filter = evenOnly ? EventFilter.tag("even") : EventFilter.all();
    List<Long> expected =
        IntStream.rangeClosed(after + 1, stored)
            .filter(n -> !evenOnly || n % 2 == 0)
            .limit(limit)
            .mapToObj(Long::valueOf)
            .toList();
    assertThat(History.read(log, filter, new Position(0, after), limit).toCompletableFuture())
        .isCompletedWithValueMatching(events ->
            events.stream().map(event -> event.position().ordinal()).toList().equals(expected));
  }
}
