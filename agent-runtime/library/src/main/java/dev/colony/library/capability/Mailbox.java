package dev.colony.library.capability;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.library.capability.MessageCapability.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The mailbox of one agent: {@code message:{id}} each, {@code unread}, how many its owner has not
 * been given, and {@code sent:{id}}, what the owner itself has asked. A message is stored once for
 * each id, for as long as it is kept. Thread-safe; calls block until the blackboard has answered.
 */
final class Mailbox {

  /** The part of an agent's scope that its mailbox is. */
  static final String NAMESPACE = "mail";

  static final String PREFIX = "message:";

  private static final String SENT = "sent:";
  private static final String UNREAD = "unread";
  private static final String UNREAD_TAG = "unread";
  private static final int PAGE = 500;

  /** How long a read message, and the id of a sent one, is kept. */
  private static final Duration KEPT = Duration.ofDays(7);

  private final AgentId owner;
  private final Blackboard board;
  private final int most;

  /**
   * @param board the owner's mailbox, written to in the name of the agent that uses it
   * @param most unread messages that it takes
   */
  Mailbox(AgentId owner, Blackboard board, int most) {
    this.owner = owner;
    this.board = board;
    this.most = most;
  }

  static Scope scopeOf(AgentId agent) {
    return agent.scope().namespace(NAMESPACE);
  }

  /**
   * Stores a message that is not there yet.
   *
   * @throws AgentException if the mailbox is full, or the id stands for another message
   */
  void deliver(String id, Message.Stored message) {
    Await.result(board.transaction(tx -> delivering(tx, id, message)));
  }

  private CompletionStage<Void> delivering(Transaction tx, String id, Message.Stored message) {
    return tx.read(PREFIX + id)
        .thenCompose(known -> {
          if (known.isPresent()) {
            Message.Stored there = known.get().as(Message.Stored.class);
            return there.taken().equals(message.taken())
                ? CompletableFuture.completedStage(null)
                : CompletableFuture.failedStage(
                    AgentException.refused(
                        "%s has another message %s already: %s"
                            .formatted(owner.name(), id, there.body())));
          }
          return tx.read(UNREAD, Integer.class)
              .thenCompose(count -> {
                int unread = count.orElse(0);
                if (unread >= most) {
                  return CompletableFuture.failedStage(
                      new AgentException(
                          "the mailbox of %s is full: %d messages wait in it unread"
                              .formatted(owner.name(), unread),
                          null,
                          true));
                }
                return tx.write(UNREAD, unread + 1)
                    .thenCompose(
                        done -> tx.write(Write.value(PREFIX + id, message).tags(UNREAD_TAG)));
              });
        });
  }

  Optional<Message> find(String id) {
    return Await.result(board.read(PREFIX + id)).map(this::message);
  }

  /** Notes that the owner has been given a message; empty if there is none. */
  Optional<Message> take(String id) {
    return Await.result(board.transaction(tx -> taking(tx, PREFIX + id)));
  }

  private CompletionStage<Optional<Message>> taking(Transaction tx, String key) {
    return tx.read(key)
        .thenCompose(there -> {
          Optional<Message> message = there.map(this::message);
          if (there.isEmpty() || there.get().as(Message.Stored.class).read()) {
            return CompletableFuture.completedStage(message);
          }
          Message.Stored taken = there.get().as(Message.Stored.class).taken();
          return tx.read(UNREAD, Integer.class)
              .thenCompose(count -> tx.write(UNREAD, Math.max(0, count.orElse(0) - 1)))
              .thenCompose(done -> tx.write(Write.value(key, taken).ttl(KEPT)))
              .thenApply(done -> message);
        });
  }

  /** Those that the owner has not been given, the oldest first. */
  List<Message> unread() {
    Query unread = Query.keys(PREFIX + "*").allTags(UNREAD_TAG).limit(PAGE);
    return Await.result(board.queryAll(unread)).stream()
        .sorted(Comparator.comparing(Entry::position))
        .map(this::message)
        .toList();
  }

  /**
   * What the owner has asked.
   *
   * @param after where that stands: a reply stands behind it
   * @param until how long a reply is waited for; empty for as long as the run lasts
   */
  record Asked(Position after, Optional<Instant> until) {}

  /** How an {@link Asked} is stored. */
  record Sent(String to, Optional<Instant> until) {}

  /** Notes that the owner asks something; for an id that is known, what was noted then. */
  Asked asked(String id, Sent sent) {
    Write write = Write.value(SENT + id, sent).ttl(KEPT).ifAbsent();
    return switch (Await.result(board.write(write))) {
      case WriteResult.Written written -> new Asked(written.position(), sent.until());
      case WriteResult.VersionConflict there ->
          Await.result(board.read(SENT + id))
              .map(known -> new Asked(known.position(), known.as(Sent.class).until()))
              .orElse(new Asked(Position.BEGINNING, sent.until()));
    };
  }

  /** Notes that the owner waits for any message: what comes from now on stands behind it. */
  Position waits() {
    return switch (Await.result(board.write(Write.value("waits", owner.name())))) {
      case WriteResult.Written written -> written.position();
      case WriteResult.VersionConflict none ->
          throw new IllegalStateException("no version: " + none);
    };
  }

  private Message message(Entry entry) {
    Message.Stored stored = entry.as(Message.Stored.class);
    return new Message(
        entry.key().substring(PREFIX.length()),
        name(entry.createdBy()),
        stored.kind(),
        stored.body(),
        stored.answers(),
        stored.round(),
        entry.createdAt());
  }

  private String name(String writer) {
    String colony = owner.tenant() + "/" + owner.colony() + "/";
    return writer.startsWith(colony) ? writer.substring(colony.length()) : writer;
  }
}
