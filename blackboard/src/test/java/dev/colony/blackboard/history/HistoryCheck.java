package dev.colony.blackboard.history;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a history is strictly serializable: the events say in which order the commits took
 * effect, so no order has to be searched for. At its place, each commit must have read what the
 * model holds there and must have done what it said; a call that changed nothing must fit between
 * two commits; and no call comes before one that had been answered when it began.
 *
 * <p>Herlihy and Wing, "Linearizability" (1990), with the order given.
 */
final class HistoryCheck {

  /** The events of one commit, or an expiry, which no call has made. */
  private record Group(Optional<Execution> by, List<BlackboardEvent> events) {

    Instant at() {
      return events.getFirst().at();
    }

    long begun() {
      return by.map(Execution::begun).orElse(Long.MIN_VALUE);
    }

    long ended() {
      return by.map(Execution::ended).orElse(Long.MAX_VALUE);
    }
  }

  private final Map<String, Execution> byName = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();
  private final Set<String> placed = new HashSet<>();

  /** The states before each group, and the one after the last. */
  private final List<ScopeState> states = new ArrayList<>();

  private HistoryCheck(History history) {
    for (Execution execution : history.executions()) {
      byName.put(execution.name(), execution);
      violations.addAll(execution.complaints());
    }
    group(history.log());
  }

  /** What is wrong with it; nothing if it is strictly serializable. */
  static List<String> violations(History history) {
    HistoryCheck check = new HistoryCheck(history);
    check.replay();
    check.realTime();
    history.executions().stream()
        .filter(one -> one.outcome() == Execution.Outcome.COMMITTED)
        .filter(one -> !check.placed.contains(one.name()))
        .forEach(check::unplaced);
    return check.violations;
  }

  private void group(List<BlackboardEvent> log) {
    List<BlackboardEvent> expiries = new ArrayList<>();
    for (BlackboardEvent event : log) {
      if (event instanceof BlackboardEvent.Expired) {
        expiries.add(event);
        continue;
      }
      Optional<Execution> by = Optional.ofNullable(byName.get(event.writer()));
      boolean goesOn = !groups.isEmpty() && by.isPresent() && groups.getLast().by().equals(by);
      if (goesOn) {
        // Entries that a commit finds expired go in the midst of it.
        groups.getLast().events().addAll(expiries);
        groups.getLast().events().add(event);
      } else {
        expiries.forEach(one -> groups.add(new Group(Optional.empty(), List.of(one))));
        groups.add(new Group(by, new ArrayList<>(List.of(event))));
      }
      expiries.clear();
    }
    expiries.forEach(one -> groups.add(new Group(Optional.empty(), List.of(one))));
  }

  private void replay() {
    ScopeState state = new ScopeState();
    for (Group group : groups) {
      states.add(state.copy());
      group.by().ifPresent(by -> commit(group, by));
      for (BlackboardEvent event : group.events()) {
        if (group.by().isEmpty() && !(event instanceof BlackboardEvent.Expired)) {
          violations.add("an event that no call has made: " + event);
        }
        state.apply(event).ifPresent(violations::add);
      }
    }
    states.add(state);
  }

  private void commit(Group group, Execution by) {
    ScopeState before = states.getLast();
    if (by.outcome() != Execution.Outcome.COMMITTED) {
      violations.add("no effect was promised: %s wrote %s".formatted(by, group.events()));
    }
    if (!placed.add(by.name())) {
      violations.add("took effect twice or in parts: " + by);
      return;
    }
    for (Observed read : by.reads()) {
      Optional<Observed.Seen> there = before.at(read.key(), group.at());
      if (!read.entry().equals(there)) {
        violations.add("stale read: %s, but there was %s: %s".formatted(read, there, by));
      }
    }
    Map<String, BlackboardEvent> done = new HashMap<>();
    for (BlackboardEvent event : group.events()) {
      if (!(event instanceof BlackboardEvent.Expired)
          && done.put(event.entryKey().orElse(""), event) != null) {
        violations.add("a key changed twice: " + group.events());
      }
    }
    by.writes()
        .forEach((key, value) -> {
          BlackboardEvent event = done.remove(key);
          boolean right =
              switch (event) {
                case BlackboardEvent.Written written -> value.equals(Optional.of(written.value()));
                case BlackboardEvent.Deleted deleted -> value.isEmpty();
                case null -> value.isEmpty() && before.at(key, group.at()).isEmpty();
                default -> false;
              };
          if (!right) {
            violations.add("not done as told: %s by %s at %s".formatted(event, by, key));
          }
          answered(by, key, Optional.ofNullable(event));
        });
    done.forEach((key, event) -> violations.add("not asked for: %s by %s".formatted(event, by)));
  }

  private void answered(Execution by, String key, Optional<BlackboardEvent> event) {
    Execution.Answer answer = by.answers().get(key);
    Optional<Position> position = event.map(BlackboardEvent::position);
    if (answer != null
        && (answer.happened() != event.isPresent()
            || answer.at().isPresent() && !Objects.equals(answer.at(), position))) {
      violations.add("answered %s, but %s: %s".formatted(answer, event, by));
    }
  }

  private void realTime() {
    long begunLatest = Long.MIN_VALUE;
    for (Group group : groups) {
      if (group.ended() < begunLatest) {
        violations.add("after one that began when it had ended: " + group);
      }
      begunLatest = Math.max(begunLatest, group.begun());
    }
  }

  /** One who changed nothing: all that he saw must have been so at one moment while he ran. */
  private void unplaced(Execution one) {
    for (Map.Entry<String, Optional<JsonNode>> write : one.writes().entrySet()) {
      if (write.getValue().isPresent()) {
        violations.add("acknowledged and lost: " + one);
        return;
      }
      answered(one, write.getKey(), Optional.empty());
    }
    for (int place = earliest(one); place <= latest(one); place++) {
      ScopeState state = states.get(place);
      boolean fits =
          one.reads().stream().allMatch(state::allows)
              && one.writes().keySet().stream()
                  .allMatch(key -> state.allows(new Observed(key, Optional.empty())));
      if (fits) {
        return;
      }
    }
    violations.add("not of one moment: " + one);
  }

  private int earliest(Execution one) {
    int place = 0;
    for (int g = 0; g < groups.size(); g++) {
      if (groups.get(g).ended() < one.begun()) {
        place = g + 1;
      }
    }
    return place;
  }

  private int latest(Execution one) {
    for (int g = 0; g < groups.size(); g++) {
      if (groups.get(g).begun() > one.ended()) {
        return g;
      }
    }
    return groups.size();
  }
}
