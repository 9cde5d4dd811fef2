package dev.colony.journal;

import dev.colony.journal.JournalException.DamagedLogException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * How far a replay has come, and what may come next. Each sequence number must be there, be marked
 * as a gap, or be deleted; anything else is damage.
 *
 * @param persistenceId whose log
 * @param next the sequence number expected next
 * @param to the last one wanted
 * @param wanted how many events may still be handed over
 */
public record ReplayCursor(String persistenceId, long next, long to, long wanted) {

  public record Replayed(long sequenceNr, EventFrame.Event event) {}

  /** What a batch came to: its events and where to go on. */
  record Step(List<Replayed> events, ReplayCursor cursor) {}

  boolean isDone() {
    return next > to || wanted <= 0;
  }

  /**
   * Takes in a batch that was read from {@link #next} on, with at most {@code batch} entries.
   *
   * @throws DamagedLogException over a hole, or over an entry that cannot be read
   */
  Step advance(LogView view, int batch) {
    view.verified(persistenceId);
    long end = Math.min(to, view.last());
    long expected = Math.max(next, view.deleted() + 1);
    List<Replayed> events = new ArrayList<>();
    for (LogView.Entry entry : view.entries()) {
      if (events.size() == wanted) {
        break;
      }
      if (entry.sequenceNr() != expected) {
        throw hole(expected, OptionalLong.of(entry.sequenceNr()));
      }
      switch (decode(entry)) {
        case EventFrame.Event event -> events.add(new Replayed(expected, event));
        case EventFrame.Gap gap -> {}
        case EventFrame.Outside outside ->
            throw new IllegalStateException("the payload of " + outside + " was not fetched");
      }
      expected++;
    }
    boolean exhausted = view.entries().size() < batch;
    if (exhausted && events.size() < wanted) {
      if (expected <= end) {
        throw hole(expected, OptionalLong.empty());
      }
      expected = to + 1;
    }
    return new Step(events, new ReplayCursor(persistenceId, expected, to, wanted - events.size()));
  }

  private EventFrame decode(LogView.Entry entry) {
    try {
      return EventFrame.decode(entry.frame());
    } catch (IllegalArgumentException unreadable) {
      throw new DamagedLogException(
          persistenceId, "entry " + entry.sequenceNr() + ": " + unreadable.getMessage());
    }
  }

  private DamagedLogException hole(long missing, OptionalLong found) {
    return new DamagedLogException(
        persistenceId,
        "sequence number %d is missing, %s"
            .formatted(
                missing,
                found.isPresent() ? "next there is " + found.getAsLong() : "nothing comes after"));
  }
}
