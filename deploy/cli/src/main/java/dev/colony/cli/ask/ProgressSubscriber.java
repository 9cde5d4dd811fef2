package dev.colony.cli.ask;

import dev.colony.agent.RunProgress;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands each event of a run to a consumer; losing them loses only the display. */
final class ProgressSubscriber implements Flow.Subscriber<RunProgress> {

  private static final Logger LOG = LoggerFactory.getLogger(ProgressSubscriber.class);

  private final Consumer<RunProgress> consumer;

  ProgressSubscriber(Consumer<RunProgress> consumer) {
    this.consumer = consumer;
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(RunProgress event) {
    consumer.accept(event);
  }

  @Override
  public void onError(Throwable failure) {
    LOG.warn("the run's progress cannot be followed", failure);
  }

  @Override
  public void onComplete() {
    // the result says the rest
  }
}
