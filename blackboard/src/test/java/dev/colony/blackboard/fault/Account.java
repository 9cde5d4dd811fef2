package dev.colony.blackboard.fault;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.InboxMessage;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * All that is known of a scope after the load.
 *
 * @param log all of its events, as they are stored
 * @param entries all that are there
 * @param followers subscribers from the beginning to the end, by what they are like
 */
record Account(
    Scope scope,
    List<Call> calls,
    List<BlackboardEvent> log,
    List<Entry> entries,
    Map<String, Follower> followers,
    List<DurableReader.Life> lives) {

  private static final String ALL = "the %s subscriber had every event once, in order";
  private static final String DURABLE =
      "each life of the durable subscriber began right after its last acknowledgement";
  private static final String UNBROKEN =
      "within a life it had every event once, in order; none was left out between two";
  private static final String KEPT = "an acknowledged request is in the inbox once";
  private static final String ONCE = "no request is in the inbox twice or without its event";
  private static final String ORDER = "requests of a scope are in the inbox in their order";

  /**
   * @param requests what the inbox held for this scope, in its order
   */
  void check(List<InboxMessage.Request> requests, Invariants invariants) {
    new LogCheck(invariants, log).run(calls, entries);
    followers.forEach((name, follower) -> saw(ALL.formatted(name), follower, invariants));
    durable(invariants);
    inbox(requests, invariants);
  }

  /** For a person: what the load was. */
  String summary() {
    Map<String, Long> answers =
        calls.stream()
            .collect(
                Collectors.groupingBy(
                    call ->
                        switch (call.answer()) {
                          case Call.Done done -> "acknowledged";
                          case Call.Nothing nothing -> "without effect";
                          case Call.Unknown unknown -> "unknown (" + unknown.why() + ")";
                        },
                    Collectors.counting()));
    return "%s: %d events, calls %s, %d durable lives, others told that they are behind: %d times"
        .formatted(
            scope,
            log.size(),
            answers,
            lives.size(),
            followers.values().stream().mapToInt(Follower::behind).sum());
  }

  private void saw(String name, Follower follower, Invariants invariants) {
    List<BlackboardEvent> events = follower.events();
    invariants.check(
        name,
        !follower.end().isDone() && events.equals(log),
        () ->
            "%d of %d events, the first difference at %d, end: %s"
                .formatted(events.size(), log.size(), difference(events, log), follower.end()));
  }

  private static int difference(List<?> some, List<?> others) {
    int at = 0;
    while (at < some.size() && at < others.size() && some.get(at).equals(others.get(at))) {
      at++;
    }
    return at;
  }

  private void durable(Invariants invariants) {
    int reached = 0;
    for (DurableReader.Life life : lives) {
      // Ordinals are dense and begin with 1, so an event's ordinal is its place in the log.
      int from = (int) life.acknowledged().ordinal();
      List<BlackboardEvent> rest = log.subList(from, log.size());
      List<BlackboardEvent> events = life.events();
      invariants.check(
          DURABLE,
          !events.isEmpty() && events.getFirst().equals(rest.getFirst()),
          () -> "after %s came %s".formatted(life.acknowledged(), events.getFirst()));
      int gone = reached;
      invariants.check(
          UNBROKEN,
          from <= gone && events.equals(rest.subList(0, Math.min(rest.size(), events.size()))),
          () ->
              "after %s (%d before), the first difference at %d of %d"
                  .formatted(life.acknowledged(), gone, difference(events, rest), events.size()));
      reached = Math.max(reached, from + events.size());
    }
    int last = reached;
    invariants.check(UNBROKEN, last == log.size(), () -> last + " of " + log.size() + " events");
  }

  private void inbox(List<InboxMessage.Request> requests, Invariants invariants) {
    Map<String, Position> written = new HashMap<>();
    for (BlackboardEvent event : log) {
      if (event instanceof BlackboardEvent.Written one) {
        written.put(one.value().path("by").asText() + " " + one.key(), one.position());
      }
    }
    List<String> delivered = new ArrayList<>();
    List<Position> positions = new ArrayList<>();
    for (InboxMessage.Request request : requests) {
      String by = request.value().path("by").asText();
      Position position = written.get(by + " " + request.key());
      invariants.check(
          ONCE,
          position != null
              && !delivered.contains(by)
              && request.recipient().equals(Caller.RECIPIENT),
          () -> "in the inbox: " + request);
      delivered.add(by);
      if (position != null) {
        positions.add(position);
      }
    }
    invariants.check(
        ORDER, positions.equals(positions.stream().sorted().toList()), positions::toString);
    for (Call call : calls) {
      if (call.request() && call.answer() instanceof Call.Done) {
        invariants.check(KEPT, delivered.contains(call.name()), call::toString);
      }
    }
  }
}
