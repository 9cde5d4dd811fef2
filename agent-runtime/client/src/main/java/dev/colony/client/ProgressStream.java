package dev.colony.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunProgress;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.client.RunPlace.StreamToken;
import dev.colony.core.dispatch.Backoff;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Flow;

/**
 * One subscriber's way through a run's events, each once and in order, to the run's end.
 *
 * <p>The events stand in the stored stream of the run's scope, among those of other runs, and the
 * oldest are trimmed away there. The normal way is a subscription to that stream from the last
 * event that the subscriber has had; the result's event, which is stored behind all others, ends
 * it.
 *
 * <p>The failure way: the blackboard says that events after that position are gone. They need not
 * have been this run's. So it is {@linkplain ProgressSurvey surveyed} how many events of the run
 * were ever stored before the oldest one that still is: each entry's version counts its writes, and
 * the subscriber's {@link StreamToken} counts what it has had. Where the two numbers agree, nothing
 * is missing and it goes on from there, or ends if the result's event itself is gone and its entry
 * is there. Where they do not, the subscriber is told, or spared it if that is what it asked for.
 *
 * <p>Not simply the stream from its oldest event on: that never says what is missing, and never
 * ends where the result's event has been trimmed away.
 *
 * <p>Thread-safe. The subscriber is called by one thread at a time and never under the lock.
 */
final class ProgressStream implements Flow.Subscription {

  private final RunPlace place;
  private final Blackboard board;
  private final boolean whole;
  private final Delivery<RunProgress> delivery;

  private StreamToken last = StreamToken.NONE;

  /** Of the demand, what the subscription to the blackboard has been asked for. */
  private long passedOn;

  private Optional<Flow.Subscription> source = Optional.empty();

  /**
   * @param whole whether it fails where events are missing
   */
  ProgressStream(
      RunPlace place,
      Blackboard board,
      Flow.Subscriber<? super RunProgress> target,
      boolean whole) {
    this.place = place;
    this.board = board;
    this.whole = whole;
    this.delivery = new Delivery<>(target);
  }

  /** Goes on behind what the subscriber has had. */
  void begin(StreamToken had) {
    synchronized (this) {
      last = had;
    }
    follow(had.position());
  }

  /** The same, where that may have been the end. */
  void again(StreamToken had) {
    StoredRun.read(place, board)
        .whenComplete((found, problem) -> {
          if (problem != null) {
            fail(problem);
          } else if (found.result().map(Entry::position).equals(Optional.of(had.position()))) {
            complete();
          } else {
            begin(had);
          }
        });
  }

  /** Finds out what is there behind what the subscriber has had. */
  void survey() {
    StreamToken had;
    synchronized (this) {
      had = last;
    }
    ProgressSurvey.of(place, board, had)
        .whenComplete((survey, problem) -> {
          if (problem == null) {
            goOn(survey);
          } else {
            fail(problem);
          }
        });
  }

  private void goOn(ProgressSurvey survey) {
    if (whole && survey.missing() > 0) {
      fail(lost(survey.missing()));
      return;
    }
    boolean more;
    synchronized (this) {
      last = new StreamToken(last.position(), survey.before());
      if (survey.ended()) {
        end(survey.result().orElseThrow());
      } else {
        survey.oldest().ifPresent(this::take);
      }
      more = !delivery.over();
    }
    deliver();
    if (more) {
      follow(survey.oldest().map(BlackboardEvent::position).orElse(Position.BEGINNING));
    }
  }

  private void follow(Position after) {
    board.subscribe(place.events(), SubscribeFrom.after(after)).subscribe(new Source());
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      fail(new IllegalArgumentException("demand must be more than 0, but is " + n));
      return;
    }
    delivery.ask(n);
    ask();
  }

  @Override
  public void cancel() {
    delivery.cancel();
    deliver();
  }

  void fail(Throwable problem) {
    finish(Optional.of(Backoff.cause(problem)));
  }

  private void complete() {
    finish(Optional.empty());
  }

  private void finish(Optional<Throwable> why) {
    delivery.end(why);
    deliver();
  }

  /** Passes on the demand that what is ready does not meet. */
  private void ask() {
    Flow.Subscription from;
    long more;
    synchronized (this) {
      more = delivery.unmet() - passedOn;
      if (source.isEmpty() || delivery.over() || more <= 0) {
        return;
      }
      from = source.get();
      passedOn += more;
    }
    from.request(more);
  }

  /** Takes an event of the scope if it is one of the run that the subscriber has not had. */
  private boolean take(BlackboardEvent event) {
    if (!(event instanceof BlackboardEvent.Written written)
        || written.position().compareTo(last.position()) <= 0) {
      return false;
    }
    if (written.key().equals(place.resultKey())) {
      last = new StreamToken(written.position(), last.count());
      end(written.value(), written.at());
      return true;
    }
    Optional<String> name = place.event(written.key());
    name.ifPresent(one -> {
      last = new StreamToken(written.position(), last.count() + 1);
      delivery.put(
          new RunProgress(
              place.runId(),
              one,
              written.value(),
              written.at(),
              last.text(place),
              Optional.empty()));
    });
    return name.isPresent();
  }

  /** The result's event is gone, its entry is there. */
  private void end(Entry result) {
    last = new StreamToken(result.position(), last.count());
    end(result.value(), result.updatedAt());
  }

  private void end(JsonNode value, Instant at) {
    AgentRun run = place.result(value);
    delivery.put(
        new RunProgress(
            run.runId(),
            run.status().name().toLowerCase(Locale.ROOT),
            run.toJson(),
            at,
            last.text(place),
            Optional.of(run)));
    delivery.end(Optional.empty());
  }

  /** Hands over what is ready; from the end on nothing more is followed. */
  private void deliver() {
    Optional<Flow.Subscription> running = Optional.empty();
    if (delivery.over()) {
      synchronized (this) {
        running = source;
        source = Optional.empty();
      }
    }
    running.ifPresent(Flow.Subscription::cancel);
    delivery.deliver();
  }

  private BlackboardException lost(long missing) {
    return new BlackboardException(
        Reason.EVENTS_LOST,
        ("%d events of run %s are no longer stored, because too many came after them; those that"
                + " are, and its end, can still be had")
            .formatted(missing, place.runId()));
  }

  /** The events of the run's scope, from where the stream goes on. */
  private final class Source implements Flow.Subscriber<BlackboardEvent> {

    @Override
    public void onSubscribe(Flow.Subscription established) {
      boolean late;
      synchronized (ProgressStream.this) {
        late = delivery.over();
        passedOn = 0;
        source = Optional.of(established);
      }
      if (late) {
        established.cancel();
      } else {
        ask();
      }
    }

    @Override
    public void onNext(BlackboardEvent event) {
      boolean taken;
      synchronized (ProgressStream.this) {
        passedOn = passedOn == Long.MAX_VALUE ? passedOn : passedOn - 1;
        taken = !delivery.over() && take(event);
      }
      if (taken) {
        deliver();
      }
      // What was not handed on has used up demand.
      ask();
    }

    @Override
    public void onError(Throwable problem) {
      synchronized (ProgressStream.this) {
        source = Optional.empty();
        passedOn = 0;
      }
      if (problem instanceof BlackboardException board && board.reason() == Reason.EVENTS_LOST) {
        survey();
      } else {
        fail(problem);
      }
    }

    @Override
    public void onComplete() {
      fail(new BlackboardException(Reason.CLOSED, "the blackboard is closed"));
    }
  }
}
