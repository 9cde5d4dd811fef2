package dev.colony.testkit;

import java.util.Locale;
import java.util.function.Consumer;

/**
 * Where a process dies: just before one of its writes to the journal reaches it, so that what was
 * done since the write before is not durable, or just after, so that no one hears that it is. A
 * point strikes once. Thread-safe.
 */
public final class KillPoint {

  /** On which side of the write the process dies. */
  public enum Side {
    /** The write does not reach the journal. */
    BEFORE,
    /** It does, and the process does not hear of that. */
    AFTER
  }

  private final int write;
  private final Side side;
  private int writes;
  private boolean struck;

  private KillPoint(int write, Side side) {
    this.write = write;
    this.side = side;
  }

  /**
   * A point.
   *
   * @param write of the writes to the journal that meet it, counted from 1
   */
  public static KillPoint at(int write, Side side) {
    if (write < 1) {
      throw new IllegalArgumentException("writes are counted from 1, not " + write);
    }
    return new KillPoint(write, side);
  }

  /** One that never strikes. */
  public static KillPoint never() {
    return new KillPoint(0, Side.BEFORE);
  }

  /**
   * Runs a trial with a crash at each point in turn: before the first write, before the second, and
   * so on until there are no more, then after each of them.
   *
   * @param trial has its process die at the point that it is given, goes on as the next process
   *     does and checks what came of it; what it throws ends the walk, with the point named
   * @return how many writes the trial makes where nothing kills it
   */
  public static int walk(Consumer<KillPoint> trial) {
    return Math.max(walk(Side.BEFORE, trial), walk(Side.AFTER, trial));
  }

  /** The same on one side of each write. */
  public static int walk(Side side, Consumer<KillPoint> trial) {
    int write = 1;
    while (strikes(at(write, side), trial)) {
      write++;
    }
    return write - 1;
  }

  private static boolean strikes(KillPoint point, Consumer<KillPoint> trial) {
    try {
      trial.accept(point);
    } catch (RuntimeException | Error failure) {
      throw new AssertionError("killed " + point + ": " + failure.getMessage(), failure);
    }
    return point.struck();
  }

  /**
   * Makes a write, or dies of it.
   *
   * @return whether the process goes on
   */
  public synchronized boolean write(Runnable append) {
    writes++;
    boolean dies = !struck && writes == write;
    if (!dies || side == Side.AFTER) {
      append.run();
    }
    struck |= dies;
    return !dies;
  }

  /** Whether the process has died. */
  public synchronized boolean struck() {
    return struck;
  }

  @Override
  public String toString() {
    return write == 0 ? "never" : side.name().toLowerCase(Locale.ROOT) + " write " + write;
  }
}
