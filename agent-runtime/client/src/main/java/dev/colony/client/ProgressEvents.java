package dev.colony.client;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunProgress;
import dev.colony.blackboard.Blackboard;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

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
