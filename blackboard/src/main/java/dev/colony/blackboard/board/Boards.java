package dev.colony.blackboard.board;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardCounters;
import dev.colony.blackboard.BlackboardListener;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.board.TransactionRun.Retries;
import dev.colony.blackboard.board.WriterStore.BoardCounters;
import dev.colony.blackboard.board.WriterStore.BoardPermissions;
import java.time.InstantSource;

/** The boards of one backend. Thread-safe. */
public final class Boards {

  private final RetryPolicy retry;
  private final Retries retries;
  private final InstantSource clock;
  private final BlackboardListener listener;
  private final BoardCounters tally = BoardCounters.whole();

  /**
   * @param retry of transactions that name no other
   * @param clock by which the backend dates events
   */
  public Boards(RetryPolicy retry, InstantSource clock) {
    this(retry, clock, BlackboardListener.NONE);
  }

  /** Boards that tell what becomes of their calls. */
  public Boards(RetryPolicy retry, InstantSource clock, BlackboardListener listener) {
    this(retry, Retries.TIMED, clock, listener);
  }

  Boards(RetryPolicy retry, Retries retries, InstantSource clock) {
    this(retry, retries, clock, BlackboardListener.NONE);
  }

  private Boards(
      RetryPolicy retry, Retries retries, InstantSource clock, BlackboardListener listener) {
    this.retry = retry;
    this.retries = retries;
    this.clock = clock;
    this.listener = listener;
  }

  /** One scope for one writer, under policies. */
  public Blackboard open(BoardStore store, String writer, BoardPolicies policies) {
    BoardCounters part = tally.part();
    return new Board(
        new WriterStore(store, writer, policies.eviction(), part, listener),
        new BoardPermissions(writer, policies.access(), policies.validation(), part),
        retry,
        retries,
        clock);
  }

  /** What was done through all boards opened here. */
  public BlackboardCounters counters() {
    return tally.counters();
  }
}
