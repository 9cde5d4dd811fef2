package dev.colony.inference.gateway;

import dev.colony.inference.replicas.ResidencyView;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What the calls of a gateway share. */
record GatewayParts(
    GatewaySettings settings,
    String ownNode,
    ModelClients models,
    CallRouter router,
    ResidencyView residency,
    CallObserver observer,
    RetryClock clock,
    WaitingRoom room,
    Optional<Spending> spending) {

  /** The time that retries go by, and the chance that keeps them apart. */
  interface RetryClock {

    /** That of the machine. */
    RetryClock SYSTEM =
        new RetryClock() {
          @Override
          public long nanos() {
            return System.nanoTime();
          }

          @Override
          public double random() {
            return ThreadLocalRandom.current().nextDouble();
          }

          @Override
          public void sleep(Duration time, Future<?> over) throws InterruptedException {
            try {
              over.get(time.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException passed) {
              // As it is to be.
            } catch (ExecutionException never) {
              throw new IllegalStateException(never);
            }
          }
        };

    /** As {@link System#nanoTime}. */
    long nanos();

    /** From 0 to 1. */
    double random();

    /** Blocks for a time, or until the other is done. */
    void sleep(Duration time, Future<?> over) throws InterruptedException;
  }
}
