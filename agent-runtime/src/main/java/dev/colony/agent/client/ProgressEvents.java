package dev.colony.agent.client;

import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.util.concurrent.Flow;

/**
 * A run's events: those of its scope that are its own, up to the result, which is stored behind
 * them. The retained stream is read from its beginning, so that a late follower misses nothing.
 */
record ProgressEvents(RunId runId, Blackboard board) implements Flow.Publisher<RunProgress> {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  @Override
  public void subscribe(Flow.Subscriber<? super RunProgress> subscriber) {
    board
        .subscribe("*:run:" + runId + "*", SubscribeFrom.beginning())
        .subscribe(new Translation(subscriber));
  }

  private final class Translation implements Flow.Subscriber<BlackboardEvent> {

    private final Flow.Subscriber<? super RunProgress> target;
    private Flow.Subscription subscription;
    private boolean ended;

    Translation(Flow.Subscriber<? super RunProgress> target) {
      this.target = target;
    }

    @Override
    public void onSubscribe(Flow.Subscription established) {
      subscription = established;
      target.onSubscribe(established);
    }

    @Override
    public void onNext(BlackboardEvent event) {
      if (ended) {
        return;
      }
      String key = event.entryKey().orElse("");
      var own = PROTOCOL.event(key);
      if (key.equals(PROTOCOL.resultKey(runId.value()))) {
        end();
        subscription.cancel();
      } else if (event instanceof BlackboardEvent.Written written
          && own.isPresent()
          && own.get().id().equals(runId.value())) {
        target.onNext(new RunProgress(runId, own.get().name(), written.value(), written.at()));
      } else {
        // Not handed on, so the demand that it used up is asked for again.
        subscription.request(1);
      }
    }

    @Override
    public void onError(Throwable failure) {
      if (!ended) {
        ended = true;
        target.onError(failure);
      }
    }

    @Override
    public void onComplete() {
      end();
    }

    private void end() {
      if (!ended) {
        ended = true;
        target.onComplete();
      }
    }
  }
}
