package dev.colony.blackboard;

import java.util.concurrent.Flow;

/**
 * A subscriber that wants to know when it does not keep up. Calls come in their order with {@link
 * #onNext}.
 */
public interface BlackboardSubscriber extends Flow.Subscriber<BlackboardEvent> {

  /**
   * More events have come than its buffer takes, or some were not pushed: from here on it is served
   * from the stored stream, slower, until it has caught up. Not called for the events that were
   * stored before it began.
   *
   * @param last the last event that came by push
   */
  default void onBehind(Position last) {}

  /** It has had all that was stored; events are pushed to it again. */
  default void onCaughtUp() {}
}
