package dev.colony.inference.gateway;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

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
        public void sleep(Duration time) throws InterruptedException {
          TimeUnit.NANOSECONDS.sleep(time.toNanos());
        }
      };

  /** As {@link System#nanoTime}. */
  long nanos();

  /** From 0 to 1. */
  double random();

  /** Blocks for a time. */
  void sleep(Duration time) throws InterruptedException;
}
