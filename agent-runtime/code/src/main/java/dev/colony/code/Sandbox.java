package dev.colony.code;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.clock.MonotonicClock;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.value.Text;
import dev.colony.code.Cell.CellOutcome;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Executes the cells of a node's agents: a service of the node, which the policy finds by this
 * type. Thread-safe.
 *
 * <p>A cell has an engine that has executed nothing before and executes nothing afterwards, and a
 * platform thread, since it computes and would keep a carrier thread from the agents. How many
 * there are is bounded; so is what one may take of memory, of the CPU and of time. Its calls are
 * done on the thread that has it executed, while its own thread waits and its time does not run.
 *
 * <p>A cell that takes more than it may is interrupted, and engines look at that in every turn of
 * every loop. One that does not end all the same is given up: its engine and its outcome are void,
 * its place is free, and its thread is counted until it ends. A node with too many of these
 * executes no further cells.
 */
public final class Sandbox implements AutoCloseable {

  /** How long a wait is between two looks at the CPU time of a cell, at least. */
  private static final Duration LOOK = Duration.ofMillis(5);

  private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

  private static final int STACK_BYTES = 4 << 20;

  /**
   * What bounds the threads of cells.
   *
   * @param ready engines that are made ahead of need, which takes 0.1 s and 2 MiB each
   * @param patience how long a cell waits for an engine
   * @param grace how long a cell that is stopped may take to end until its thread is given up
   * @param abandoned threads that were given up and have not ended, until no further cell is
   *     executed
   */
  record Threads(int ready, Duration patience, Duration grace, int abandoned) {

    static final Threads USUAL = new Threads(1, Duration.ofMinutes(1), Duration.ofSeconds(2), 4);
  }

  /** What the thread of a cell tells the one that waits. */
  private sealed interface Signal {

    /** It has an engine. */
    record Began() implements Signal {}

    record Called(CellHost.Called call, CompletableFuture<Cell.Reply> reply) implements Signal {}

    /**
     * @param cause why it has ended; empty where it came to its end
     */
    record Done(Optional<String> cause) implements Signal {}
  }

  private final CodeSettings settings;
  private final Threads threads;
  private final Semaphore places;
  private final Deque<Engine> ready = new ArrayDeque<>();
  private final AtomicInteger abandoned = new AtomicInteger();
  private boolean making;
  private boolean closed;

  public Sandbox(CodeSettings settings) {
    this(settings, Threads.USUAL);
  }

  Sandbox(CodeSettings settings, Threads threads) {
    this.settings = settings;
    this.threads = threads;
    this.places = new Semaphore(settings.engines(), true);
  }

  CodeSettings settings() {
    return settings;
  }

  public int executing() {
    return settings.engines() - places.availablePermits();
  }

  /** How many threads of cells do not end although they were given up. */
  public int abandoned() {
    return abandoned.get();
  }

  synchronized int ready() {
    return ready.size();
  }

  /** Makes engines ahead of need, on another thread. */
  synchronized void prepare() {
    if (!closed && !making && ready.size() < threads.ready()) {
      making = true;
      Thread.ofPlatform().daemon().name("code-engine").start(this::make);
    }
  }

  private void make() {
    Engine made = null;
    try {
      made = new Engine(settings.memory());
    } finally {
      synchronized (this) {
        making = false;
        if (made != null && !closed) {
          ready.add(made);
        }
      }
    }
    prepare();
  }

  private Engine engine() {
    Engine engine;
    synchronized (this) {
      engine = ready.poll();
    }
    prepare();
    return engine == null ? new Engine(settings.memory()) : engine;
  }

  /**
   * Executes a cell. Blocks until it has ended; its calls are done on this thread.
   *
   * @throws AgentException if no engine is free in time, or too many threads were given up; the
   *     cell has not begun then
   * @throws Exception that a call throws; the cell is ended
   */
  CellOutcome execute(Cell cell, Cell.Calls calls) throws Exception {
    if (abandoned.get() >= threads.abandoned()) {
      throw unavailable(abandoned + " cells do not end although their time is over");
    }
    if (!places.tryAcquire(threads.patience().toNanos(), TimeUnit.NANOSECONDS)) {
      throw unavailable("no engine was free within " + threads.patience());
    }
    Execution execution = new Execution(cell);
    try {
      return execution.run(calls);
    } finally {
      execution.end();
      places.release();
    }
  }

  private static AgentException unavailable(String why) {
    return new AgentException("this node executes no cell: " + why, null, true);
  }

  /** Drops the engines that wait; cells that are being executed come to their end. */
  @Override
  public synchronized void close() {
    closed = true;
    ready.clear();
  }

  /** One cell, on its thread, and the dialogue with it. */
  private final class Execution {

    private final BlockingQueue<Signal> signals = new ArrayBlockingQueue<>(4);
    private final Cell cell;
    private final CellHost host;
    private final Thread thread;
    private boolean alive = true;
    private boolean givenUp;

    Execution(Cell cell) {
      this.cell = cell;
      this.host = new CellHost(cell, this::ask);
      this.thread =
          Thread.ofPlatform()
              .daemon()
              .name("code-cell")
              .stackSize(STACK_BYTES)
              .unstarted(this::live);
    }

    private void live() {
      Optional<String> cause;
      try {
        Engine engine = engine();
        signals.add(new Signal.Began());
        engine.execute(cell.setup(), cell.time(), host);
        cause = Optional.empty();
      } catch (CellHost.Stopped stopped) {
        cause = Optional.empty();
      } catch (Engine.Ended ended) {
        cause = Optional.of(ended.getMessage());
      } catch (OutOfMemoryError none) {
        cause = Optional.of("the node has no memory for the cell");
      } catch (RuntimeException | StackOverflowError | LinkageError failure) {
        cause = Optional.of("the engine failed: " + Text.message(failure));
      } finally {
        over();
      }
      signals.add(new Signal.Done(cause));
    }

    private synchronized void over() {
      alive = false;
      if (givenUp) {
        abandoned.decrementAndGet();
      }
    }

    private Cell.Reply ask(CellHost.Called call) {
      CompletableFuture<Cell.Reply> reply = new CompletableFuture<>();
      signals.add(new Signal.Called(call, reply));
      try {
        return reply.get();
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new Engine.Ended("it was stopped", stopped);
      } catch (ExecutionException never) {
        throw new IllegalStateException(never);
      }
    }

    CellOutcome run(Cell.Calls calls) throws Exception {
      thread.start();
      Signal first = signals.poll(threads.patience().toNanos(), TimeUnit.NANOSECONDS);
      if (first == null) {
        throw unavailable("no engine could be made within " + threads.patience());
      }
      long left = settings.time().toNanos();
      Signal signal = first instanceof Signal.Began ? null : first;
      long engineNanos = Math.max(0, CPU.getThreadCpuTime(thread.threadId()));
      while (true) {
        long began = MonotonicClock.SYSTEM.nanos();
        while (signal == null) {
          long cpu = CPU.getThreadCpuTime(thread.threadId()) - engineNanos;
          long cpuLeft = settings.cpu().toNanos() - cpu;
          long timeLeft = left - (MonotonicClock.SYSTEM.nanos() - began);
          if (cpuLeft <= 0 || timeLeft <= 0) {
            return stopped(cpuLeft <= 0);
          }
          signal =
              signals.poll(
                  Math.max(LOOK.toNanos(), Math.min(cpuLeft, timeLeft)), TimeUnit.NANOSECONDS);
        }
        left -= MonotonicClock.SYSTEM.nanos() - began;
        switch (signal) {
          case Signal.Began again -> throw new IllegalStateException("began twice");
          case Signal.Called called ->
              called
                  .reply()
                  .complete(
                      calls.call(
                          called.call().number(), called.call().key(), called.call().params()));
          case Signal.Done done -> {
            return host.outcome(done.cause());
          }
        }
        signal = null;
      }
    }

    private CellOutcome stopped(boolean cpu) {
      end();
      return host.outcome(
          Optional.of(
              cpu
                  ? "it computed for longer than " + settings.cpu()
                  : "it took longer than " + settings.time()));
    }

    /** Sees to it that the thread ends, or is counted. */
    void end() {
      if (thread.getState() == Thread.State.NEW) {
        return;
      }
      thread.interrupt();
      try {
        thread.join(threads.grace());
      } catch (InterruptedException now) {
        Thread.currentThread().interrupt();
      }
      synchronized (this) {
        if (alive && !givenUp) {
          givenUp = true;
          abandoned.incrementAndGet();
        }
      }
    }
  }

  /**
   * The settings under {@code colony.code}; reference.conf says what each means.
   *
   * @param engines cells that a node executes at a time
   * @param memory of a cell, in bytes
   * @param cpu the CPU time of a cell, without its actions
   * @param time the same by the clock
   * @param failingCells in a row until the run fails
   */
  @Section("colony.code")
  public record CodeSettings(
      @Range(min = "1", max = "1000") int engines,
      @Range(min = "4 MiB", max = "1 GiB") int memory,
      @Range(min = "100 ms", max = "10 m") Duration cpu,
      @Range(min = "100 ms", max = "1 h") Duration time,
      @Range(min = "1", max = "1000") int failingCells) {}
}
