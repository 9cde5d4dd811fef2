package dev.colony.node.entity;

import dev.colony.core.dispatch.Backoff;
import org.apache.pekko.actor.typed.BackoffSupervisorStrategy;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** What becomes of actors that fail: they are made anew after a pause that grows. */
public final class RestartBackoff {

  private static final double JITTER = 0.2;

  private RestartBackoff() {}

  /** Pauses as long as the backoff, plus up to a fifth. */
  public static BackoffSupervisorStrategy after(Backoff pauses) {
    return SupervisorStrategy.restartWithBackoff(pauses.shortest(), pauses.longest(), JITTER);
  }

  /** An actor that is made anew after any failure. */
  public static <M> Behavior<M> of(Behavior<M> behavior, Backoff pauses) {
    return Behaviors.supervise(behavior).onFailure(Exception.class, after(pauses));
  }
}
