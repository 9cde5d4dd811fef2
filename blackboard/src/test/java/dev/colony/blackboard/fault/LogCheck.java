package dev.colony.blackboard.fault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Compares the events of one scope with what its callers were told, and replays them. */
final class LogCheck {

  private static final String GROWING = "positions only grow and no ordinal is left out";
  private static final String VERSIONS = "versions of a key follow one another";
  private static final String WHOLE = "what a call did stands together in the log";
  private static final String ONCE = "no call took effect twice, acknowledged or not";
  private static final String KEPT = "an acknowledged call is in the log, where it was said";
  private static final String NOTHING = "a call without effect is not in the log";
  private static final String ALL_OF_IT = "a call is in the log with all that was asked for";
  private static final String SERIAL = "a transaction found what was there at its place";
  private static final String FOLD = "the entries are what the events make of them";

  private final Invariants invariants;
  private final List<BlackboardEvent> log;

  /** The events of each call, by its name. */
  private final Map<String, List<BlackboardEvent>> done = new HashMap<>();

  /** The entries so far: their last writes. */
  private final Map<String, BlackboardEvent.Written> entries = new TreeMap<>();

  LogCheck(Invariants invariants, List<BlackboardEvent> log) {
    this.invariants = invariants;
    this.log = log;
  }

  /**
   * @param kept what is there after the last event
   */
  void run(List<Call> calls, List<Entry> kept) {
    replay();
    calls.forEach(this::check);
    Map<String, BlackboardEvent.Written> folded = new TreeMap<>(entries);
    for (Entry entry : kept) {
      BlackboardEvent.Written last = folded.remove(entry.key());
      invariants.check(
          FOLD,
          last != null
              && last.position().equals(entry.position())
              && last.version() == entry.version()
              && last.value().equals(entry.value())
              && last.tags().equals(entry.tags())
              && last.writer().equals(entry.updatedBy()),
          () -> entry + " comes of " + last);
    }
    invariants.check(FOLD, folded.isEmpty(), () -> "not there: " + folded.values());
  }

  private void replay() {
    Position head = Position.BEGINNING;
    String writer = "";
    for (BlackboardEvent event : log) {
      Position before = head;
      head = event.position();
      invariants.check(
          GROWING,
          head.compareTo(before) > 0 && head.ordinal() == before.ordinal() + 1,
          () -> event.position() + " follows " + before);
      if (event instanceof BlackboardEvent.OfEntry one) {
        version(one);
      }
      if (event instanceof BlackboardEvent.Expired expired) {
        entries.remove(expired.key());
        continue;
      }
      List<BlackboardEvent> together = done.computeIfAbsent(event.writer(), w -> new ArrayList<>());
      boolean goesOn = event.writer().equals(writer);
      invariants.check(WHOLE, together.isEmpty() || goesOn, () -> together + ", later " + event);
      writer = event.writer();
      together.add(event);
      apply(event);
    }
  }

  private void version(BlackboardEvent.OfEntry event) {
    BlackboardEvent.Written last = entries.get(event.key());
    long before = last == null ? 0 : last.version();
    boolean wrote = event instanceof BlackboardEvent.Written;
    invariants.check(
        VERSIONS,
        event.oldVersion() == before
            && event.version() == (wrote ? before + 1 : 0)
            && (wrote || before > 0),
        () -> event + " follows " + last);
  }

  private void apply(BlackboardEvent event) {
    switch (event) {
      case BlackboardEvent.Written written -> {
        found(written);
        entries.put(written.key(), written);
      }
      case BlackboardEvent.Deleted deleted -> entries.remove(deleted.key());
      case BlackboardEvent.Expired expired -> entries.remove(expired.key());
      case BlackboardEvent.Cleared cleared -> entries.clear();
    }
  }

  /** Transactions write where they found what they read; each changes one key. */
  private void found(BlackboardEvent.Written written) {
    written
        .value()
        .path("read")
        .properties()
        .forEach(read -> {
          Position there =
              Optional.ofNullable(entries.get(read.getKey()))
                  .map(BlackboardEvent.Written::position)
                  .orElse(Position.BEGINNING);
          invariants.check(
              SERIAL,
              read.getValue().asText().equals(there.toString()),
              () -> "%s was at %s: %s".formatted(read.getKey(), there, written));
        });
  }

  private void check(Call call) {
    List<BlackboardEvent> events = done.getOrDefault(call.name(), List.of());
    Map<String, Optional<JsonNode>> did = new HashMap<>();
    for (BlackboardEvent event : events) {
      String key = event.entryKey().orElse("");
      boolean first =
          did.put(
                  key,
                  event instanceof BlackboardEvent.Written written
                      ? Optional.of(written.value())
                      : Optional.empty())
              == null;
      invariants.check(ONCE, first, () -> call + " did " + events);
    }
    invariants.check(
        ALL_OF_IT, did.isEmpty() || did.equals(call.asked()), () -> call + " did " + events);
    switch (call.answer()) {
      case Call.Done told -> {
        invariants.check(
            KEPT, !events.isEmpty() || call.asked().isEmpty(), () -> call + " did nothing");
        for (BlackboardEvent event : events) {
          Position said = told.at().get(event.entryKey().orElse(""));
          invariants.check(
              KEPT, said == null || said.equals(event.position()), () -> call + " did " + event);
        }
      }
      case Call.Nothing told ->
          invariants.check(NOTHING, events.isEmpty(), () -> call + " did " + events);
      case Call.Unknown told -> {
        // It may have happened or not; once and whole was checked above.
      }
    }
  }
}
