package dev.colony.blackboard;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/**
 * The requests addressed to agents, in a fixed number of buckets. A request stays until it is
 * acknowledged, so that whoever reads a bucket after a crash finds what the one before it left.
 * Delivery is at least once; requests of one scope keep their order.
 */
public interface Inbox {

  /** How many buckets there are; all members of a cluster agree on it. */
  int buckets();

  /** The oldest requests of a bucket that nobody has acknowledged; empty means none. */
  CompletionStage<List<InboxMessage>> pending(int bucket, int limit);

  CompletionStage<Void> acknowledge(int bucket, Collection<String> ids);

  /**
   * Calls the listener with the number of a bucket soon after something was put into it. A hint may
   * be lost: a slow sweep over {@link #pending} is the reader's net.
   */
  AutoCloseable onHint(IntConsumer listener);
}
