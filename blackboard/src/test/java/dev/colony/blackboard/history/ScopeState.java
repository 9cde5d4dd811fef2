package dev.colony.blackboard.history;

import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The model: a scope's entries as its events make them, one after the other. */
final class ScopeState {

  private record Modelled(Observed.Seen seen, Optional<Instant> expires) {}

  private final Map<String, Modelled> entries;
  private Position head;

  ScopeState() {
    this(Map.of(), Position.BEGINNING);
  }

  private ScopeState(Map<String, Modelled> entries, Position head) {
    this.entries = new HashMap<>(entries);
    this.head = head;
  }

  ScopeState copy() {
    return new ScopeState(entries, head);
  }

  /** What a reader must find at a time. */
  Optional<Observed.Seen> at(String key, Instant now) {
    return Optional.ofNullable(entries.get(key))
        .filter(entry -> entry.expires().map(now::isBefore).orElse(true))
        .map(Modelled::seen);
  }

  /** Whether a reader may have found this, at whatever time. */
  boolean allows(Observed observed) {
    Modelled entry = entries.get(observed.key());
    Optional<Observed.Seen> there = Optional.ofNullable(entry).map(Modelled::seen);
    return observed.entry().equals(there)
        || observed.entry().isEmpty() && entry.expires().isPresent();
  }

  /** Goes on by one event; says what about it cannot be. */
  Optional<String> apply(BlackboardEvent event) {
    Optional<String> problem = place(event.position()).or(() -> versions(event));
    head = event.position();
    switch (event) {
      case BlackboardEvent.Written written ->
          entries.put(
              written.key(),
              new Modelled(
                  new Observed.Seen(written.position(), written.version(), written.value()),
                  Lifetime.brief(written.key())
                      ? Optional.of(written.at().plus(Lifetime.BRIEF))
                      : Optional.empty()));
      case BlackboardEvent.Deleted deleted -> entries.remove(deleted.key());
      case BlackboardEvent.Expired expired -> entries.remove(expired.key());
      case BlackboardEvent.Cleared cleared -> entries.clear();
    }
    return problem;
  }

  private Optional<String> place(Position position) {
    return position.ordinal() == head.ordinal() + 1 && position.millis() >= head.millis()
        ? Optional.empty()
        : Optional.of("positions: " + position + " follows " + head);
  }

  private Optional<String> versions(BlackboardEvent event) {
    if (!(event instanceof BlackboardEvent.OfEntry one)) {
      return Optional.empty();
    }
    Modelled entry = entries.get(one.key());
    long before = entry == null ? 0 : entry.seen().version();
    long after = one instanceof BlackboardEvent.Written ? before + 1 : 0;
    if (one.oldVersion() != before || one.version() != after) {
      return Optional.of("versions: %s at version %d met %s".formatted(one.key(), before, one));
    }
    if (after == 0 && before == 0) {
      return Optional.of("versions: %s went and was not there: %s".formatted(one.key(), one));
    }
    boolean early =
        one instanceof BlackboardEvent.Expired
            && !entry.expires().map(end -> !one.at().isBefore(end)).orElse(false);
    return early ? Optional.of("expired too early: " + one) : Optional.empty();
  }
}
