package dev.colony.inference.gateway;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The calls at one replica: a bounded number running, a bounded number waiting, first come first
 * served. Thread-safe.
 */
final class ReplicaQueue {

  private final int capacity;
  private final Semaphore slots;
  private final AtomicInteger calls = new AtomicInteger();

  ReplicaQueue(int maxConcurrent, int maxQueued) {
    this.capacity = maxConcurrent + maxQueued;
    this.slots = new Semaphore(maxConcurrent, true);
  }

  /** Takes a place in the queue. False if it is full. */
  boolean enter() {
    if (calls.incrementAndGet() > capacity) {
      calls.decrementAndGet();
      return false;
    }
    return true;
  }

  /** Waits for a slot, holding a place. False if none came free in time. */
  boolean start(Duration timeout) throws InterruptedException {
    return slots.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Gives the slot back. */
  void finish() {
    slots.release();
  }

  /** Gives the place back. */
  void leave() {
    calls.decrementAndGet();
  }

  int calls() {
    return calls.get();
  }

  boolean full() {
    return calls.get() >= capacity;
  }
}
