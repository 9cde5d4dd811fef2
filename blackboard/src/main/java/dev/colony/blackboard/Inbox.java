package dev.colony.blackboard;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/**
 * What is addressed to agents, in a fixed number of buckets. A message stays until it is
 * acknowledged, so that whoever reads a bucket after a crash finds what the one before it left.
 * Delivery is at least once; messages of one scope keep their order.
 */
public interface Inbox {

  /** How many buckets there are; all members of a cluster agree on it. */
  int buckets();

  /** The oldest messages of a bucket that nobody has acknowledged; empty means none. */
  CompletionStage<List<InboxMessage>> pending(int bucket, int limit);

  /** How many messages of all buckets nobody has acknowledged. */
  CompletionStage<Long> length();

  /**
   * Takes messages of a bucket out for good. A wake is put in again, as a new one, if a matching
   * write came after the position it names.
   */
  CompletionStage<Void> acknowledge(int bucket, Collection<? extends InboxMessage> messages);

  /**
   * Calls the listener with the number of a bucket soon after something was put into it. A hint may
   * be lost: a slow sweep over {@link #pending} is the reader's net.
   */
  AutoCloseable onHint(IntConsumer listener);
}
