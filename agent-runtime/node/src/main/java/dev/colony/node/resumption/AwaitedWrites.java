package dev.colony.node.resumption;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.ResumptionCondition.Event;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.node.resumption.Resumptions.Trigger;
import dev.colony.vcm.mapping.Parallel;
import dev.colony.vcm.store.InFlight;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * The writes that suspended agents wait for: the blackboard puts a wake for one into the inbox, and
 * the scope's events say what it was. What an agent writes itself does not count.
 */
record AwaitedWrites(Blackboards blackboards) {

  /** What the blackboard takes of one recipient in one scope. */
  private static final int PATTERNS = 16;

  private static final int AT_ONCE = 8;

  /** Has the blackboard tell of what has not come. */
  CompletionStage<Void> watch(WaitIndexEntry entered) {
    Map<Scope, List<KeyGlob>> wanted =
        entered
            .missing()
            .collect(
                Collectors.groupingBy(
                    Event::scope, Collectors.mapping(Event::pattern, Collectors.toList())));
    List<CompletionStage<?>> all = new ArrayList<>();
    wanted.forEach((scope, patterns) -> {
      List<List<KeyGlob>> parts = Parallel.batches(patterns.stream().distinct().toList(), PATTERNS);
      for (int part = 0; part < parts.size(); part++) {
        all.add(tell(entered.waiter(), part, scope, parts.get(part)));
      }
    });
    return WaitIndex.all(all);
  }

  /** Has the blackboard tell no more. */
  CompletionStage<Void> forget(WaitIndexEntry entered) {
    Map<Scope, Long> patterns =
        entered
            .leaves(Event.class)
            .collect(Collectors.groupingBy(Event::scope, Collectors.counting()));
    List<CompletionStage<?>> all = new ArrayList<>();
    patterns.forEach((scope, count) -> {
      for (int part = 0; part * PATTERNS < count; part++) {
        all.add(tell(entered.waiter(), part, scope, List.of()));
      }
    });
    return WaitIndex.all(all);
  }

  /** Has the blackboard tell no more of what a suspension waited for that is gone. */
  CompletionStage<Void> forget(Trigger.Wrote wrote) {
    return tell(
        new WaitIndexKeys.SuspensionKey(wrote.agent(), wrote.suspension()),
        wrote.part(),
        wrote.scope(),
        List.of());
  }

  /** Those of the events that have come. */
  CompletionStage<Set<ResumptionCondition>> come(WaitIndexEntry entered, List<Event> events) {
    return InFlight.map(
            events,
            AT_ONCE,
            event ->
                board(event.scope())
                    .history(
                        matching(entered.agent(), event),
                        event.after().orElse(Position.BEGINNING),
                        1)
                    .thenApply(
                        found -> found.isEmpty() ? Optional.<Event>empty() : Optional.of(event)))
        .thenApply(all ->
            all.stream().flatMap(Optional::stream).collect(Collectors.toCollection(HashSet::new)));
  }

  /** Those of the events that have come, now that the blackboard has told of a write. */
  CompletionStage<Set<ResumptionCondition>> come(WaitIndexEntry entered, Trigger.Wrote wrote) {
    List<Event> missing =
        entered.missing().filter(event -> event.scope().equals(wrote.scope())).toList();
    return come(entered, missing)
        .thenCompose(come ->
            come.containsAll(missing)
                ? CompletableFuture.completedStage(come)
                // Asked for behind that: what goes in between is neither found nor still there.
                : gone(wrote)
                    .thenApply(gone -> {
                      // Whose it was cannot be said any more: rather one wake-up too many.
                      missing.stream()
                          .filter(event -> gone && event.pattern().matches(wrote.key()))
                          .forEach(come::add);
                      return come;
                    }));
  }

  private CompletionStage<Boolean> gone(Trigger.Wrote wrote) {
    Position at = wrote.position();
    return board(wrote.scope())
        .history(EventFilter.all(), new Position(at.millis(), at.ordinal() - 1), 1)
        .thenApply(events ->
            !events.stream().findFirst().map(BlackboardEvent::position).equals(Optional.of(at)));
  }

  private CompletionStage<Void> tell(
      WaitIndexKeys.SuspensionKey waiter, int part, Scope scope, List<KeyGlob> patterns) {
    return board(scope)
        .wakeOn(Trigger.Wrote.recipient(waiter.agent(), waiter.suspension(), part), patterns);
  }

  private static EventFilter matching(AgentId agent, Event event) {
    return new EventFilter.Keys(event.pattern())
        .and(EventFilter.types(EventType.WRITTEN))
        .and(EventFilter.writers(agent.persistenceId()).negate());
  }

  private Blackboard board(Scope scope) {
    return blackboards.open(scope, "resumption");
  }
}
