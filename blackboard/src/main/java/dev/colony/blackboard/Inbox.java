package dev.colony.blackboard;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;

/**
 * What is addressed to agents, in a fixed number of buckets. A message stays until it is
 * acknowledged, so that the node that reads a bucket after a crash finds what the one before it
 * left. Delivery is at least once; messages of one scope keep their order.
 */
public interface Inbox {

  /** How many buckets there are; all members of a cluster agree on it. */
  int buckets();

  /** The oldest messages of a bucket that are not acknowledged; empty means none. */
  default CompletionStage<List<InboxMessage>> pending(int bucket, int limit) {
    return pending(bucket, Optional.empty(), limit);
  }

  /**
   * The messages of a bucket that are not acknowledged, in their order, from behind a message on.
   * What is put in later comes behind what was there.
   *
   * @param after id of a message, which need not be there any more; empty means from the oldest on
   */
  CompletionStage<List<InboxMessage>> pending(int bucket, Optional<String> after, int limit);

  /** Those of some messages that are not acknowledged, in the order in which they are named. */
  CompletionStage<List<InboxMessage>> read(int bucket, List<String> ids);

  /** How much there is. One round trip for each bucket. */
  CompletionStage<InboxStatistics> statistics();

  /**
   * Takes messages of a bucket out for good. A wake is put in again, as a new one, if a matching
   * write came after the position it names.
   */
  CompletionStage<Void> acknowledge(int bucket, Collection<? extends InboxMessage> messages);

  /** Failed deliveries of a message: how many, 0 where it is not there. */
  record Failures(long count, Instant first, Instant last) {}

  /**
   * Counts a failed delivery. The count outlives the node that reads the bucket, and ends with the
   * message.
   *
   * @param attempt names the delivery: given again, it counts once
   * @return with this delivery
   */
  CompletionStage<Failures> failed(int bucket, String id, String attempt);

  /**
   * Takes a request out of the inbox and puts it among the bucket's dead letters, in one operation;
   * nothing happens where it is not there. Beyond {@code colony.blackboard.inbox.dead-letters} the
   * oldest of these go, and so do those that are older than {@code keep-dead-letters}.
   *
   * @param least how many failed deliveries must have been counted; nothing happens before
   * @param reason one line
   * @return whether it was moved
   */
  CompletionStage<Boolean> bury(int bucket, InboxMessage.Request request, int least, String reason);

  /**
   * The dead letters of a bucket that are not too old, in their order.
   *
   * @param after id of a dead letter, which need not be there any more; empty means from the oldest
   *     on
   */
  CompletionStage<List<DeadLetter>> deadLetters(int bucket, Optional<String> after, int limit);

  /** A dead letter, or empty if there is none of this id. */
  CompletionStage<Optional<DeadLetter>> deadLetter(int bucket, String id);

  /**
   * Puts a dead letter into the inbox again, as a new message, in one operation. It is not refused
   * for want of room.
   *
   * @return whether it was there
   */
  CompletionStage<Boolean> revive(int bucket, String id);

  /**
   * Removes a dead letter for good.
   *
   * @return whether it was there
   */
  CompletionStage<Boolean> drop(int bucket, String id);

  /** Removes the dead letters of a bucket that are too old. */
  CompletionStage<Void> trim(int bucket);

  /** Has those who listen look into a bucket, as if something had been put into it. */
  CompletionStage<Void> hint(int bucket);

  /**
   * Calls the listener with the number of a bucket soon after something was put into it. A hint may
   * be lost: a slow sweep over {@link #pending} is the reader's net.
   */
  AutoCloseable onHint(IntConsumer listener);
}
