package dev.colony.client;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunProgress;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.client.RunPlace.StreamToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * What is left of a run's events behind a place in them. Costs a few reads of the stored stream,
 * one for each name that the run's events have.
 *
 * @param oldest the oldest event of the scope that is still stored
 * @param result the run's result, if there is one
 * @param before how many events the run had before those that are still stored
 * @param missing how many of these the subscriber has not had
 */
record ProgressSurvey(
    Optional<BlackboardEvent> oldest, Optional<Entry> result, long before, long missing) {

  /**
   * Whether nothing comes any more: the result's event is gone, and with it all that were before.
   */
  boolean ended() {
    return result
        .filter(
            entry -> oldest.isEmpty() || entry.position().compareTo(oldest.get().position()) < 0)
        .isPresent();
  }

  /**
   * Looks.
   *
   * @param had what the subscriber has had
   */
  static CompletionStage<ProgressSurvey> of(RunPlace place, Blackboard board, StreamToken had) {
    // The ends before the entries: what goes while these are read is noticed by the caller that
    // follows
    // the stream.
    return Ends.of(place, board)
        .thenCompose(ends ->
            entries(place, board, Optional.empty(), new ArrayList<>())
                .thenCompose(entries -> before(board, entries, had))
                .thenApply(before ->
                    new ProgressSurvey(ends.oldest, ends.result, before, before - had.count())));
  }

  private record Ends(Optional<BlackboardEvent> oldest, Optional<Entry> result) {

    /**
     * The oldest event before the result, so that a result which is written in between stands
     * behind the event, and is still to come as one. Where there was no event at all, the result
     * says that there are some by now, and they are looked for again.
     */
    static CompletionStage<Ends> of(RunPlace place, Blackboard board) {
      return oldest(board)
          .thenCompose(first ->
              StoredRun.read(place, board)
                  .thenApply(StoredRun::result)
                  .thenCompose(result ->
                      first.isEmpty() && result.isPresent()
                          ? oldest(board).thenApply(some -> new Ends(some, result))
                          : CompletableFuture.completedStage(new Ends(first, result))));
    }

    private static CompletionStage<Optional<BlackboardEvent>> oldest(Blackboard board) {
      return board
          .history(EventFilter.all(), Position.BEGINNING, 1)
          .thenApply(stored -> stored.stream().findFirst());
    }
  }

  private static CompletionStage<List<Entry>> entries(
      RunPlace place, Blackboard board, Optional<Query.Cursor> from, List<Entry> found) {
    Query query = Query.keys(place.eventKeys().pattern());
    return board
        .query(from.map(query::from).orElse(query))
        .thenCompose(page -> {
          page.entries().stream()
              .filter(entry -> place.event(entry.key()).isPresent())
              .forEach(found::add);
          return page.next().isPresent()
              ? entries(place, board, page.next(), found)
              : CompletableFuture.completedStage(found);
        });
  }

  /** How often the entries were written before their oldest writes that are stored and not had. */
  private static CompletionStage<Long> before(
      Blackboard board, List<Entry> entries, StreamToken had) {
    CompletionStage<Long> sum = CompletableFuture.completedStage(0L);
    for (Entry entry : entries) {
      sum = sum.thenCombine(before(board, entry, had), Long::sum);
    }
    return sum;
  }

  private static CompletionStage<Long> before(Blackboard board, Entry entry, StreamToken had) {
    if (entry.position().compareTo(had.position()) <= 0) {
      return CompletableFuture.completedStage(entry.version());
    }
    EventFilter writes = EventFilter.keys(entry.key()).and(EventFilter.types(EventType.WRITTEN));
    return board
        .history(writes, had.position(), 1)
        .thenApply(first ->
            first.stream()
                .map(event -> ((BlackboardEvent.Written) event).oldVersion())
                .findFirst()
                .orElse(entry.version()));
  }

  /**
   * A run's events and its end, see {@link ProgressStream}.
   *
   * @param origin how the run was found
   * @param result its failure is the stream's
   * @param after the last event that the subscriber has had; empty for the beginning
   * @param whole whether it fails where events are no longer stored
   */
  record ProgressEvents(
      RunPlace place,
      Blackboard board,
      CompletionStage<StoredRun> origin,
      CompletionStage<AgentRun> result,
      Optional<StreamToken> after,
      boolean whole)
      implements Flow.Publisher<RunProgress> {

    @Override
    public void subscribe(Flow.Subscriber<? super RunProgress> subscriber) {
      ProgressStream stream = new ProgressStream(place, board, subscriber, whole);
      subscriber.onSubscribe(stream);
      origin.whenComplete((found, failure) -> {
        if (failure != null) {
          stream.fail(failure);
        } else if (after.isPresent()) {
          stream.again(after.get());
        } else if (whole && found.request().isPresent()) {
          stream.begin(new StreamToken(found.request().get(), 0));
        } else {
          stream.survey();
        }
      });
      result.whenComplete((run, failure) -> {
        if (failure != null) {
          stream.fail(failure);
        }
      });
    }
  }
}
