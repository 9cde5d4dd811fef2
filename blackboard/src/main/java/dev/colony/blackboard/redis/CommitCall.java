package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Eviction;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.board.BoardStore.Change;
import dev.colony.blackboard.board.BoardStore.Commit;
import dev.colony.blackboard.board.BoardStore.CommitCondition;
import dev.colony.blackboard.board.BoardStore.CommitOutcome;
import dev.colony.blackboard.board.InboxBucket.InboxRoom;
import dev.colony.blackboard.value.ValueCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A commit as arguments of {@code commit.lua}, and its outcome as that returns it. */
final class CommitCall {

  private CommitCall() {}

  /**
   * @throws IllegalArgumentException if a value is over the limit
   */
  static List<byte[]> arguments(Commit commit, ValueCodec codec, BlackboardSettings.Inbox inbox) {
    List<String> offeredTo = offeredTo(commit);
    List<byte[]> arguments = new ArrayList<>();
    arguments.add(ascii(commit.eviction().map(CommitCall::eviction).orElse("")));
    arguments.add(ascii(Integer.toString(commit.expectations().size() + offeredTo.size())));
    for (CommitCondition expectation : commit.expectations()) {
      switch (expectation) {
        case CommitCondition.Version version -> {
          arguments.add(ascii("v"));
          arguments.add(version.key().getBytes(UTF_8));
          arguments.add(ascii(Long.toString(version.version())));
        }
        case CommitCondition.WrittenAt at -> {
          arguments.add(ascii("p"));
          arguments.add(at.key().getBytes(UTF_8));
          arguments.add(ascii(at.position().toString()));
        }
      }
    }
    for (String recipient : offeredTo) {
      arguments.add(ascii("b"));
      arguments.add(recipient.getBytes(UTF_8));
      arguments.add(
          ascii(
              "%d %d %d"
                  .formatted(
                      inbox.mostPerRecipient(), inbox.mostPerTenant(), inbox.mostPerBucket())));
    }
    for (Change change : commit.changes()) {
      switch (change) {
        case Change.Put put -> add(arguments, put, commit.writer(), codec);
        case Change.Limit limit -> {
          arguments.add(ascii("x"));
          arguments.add(limit.key().getBytes(UTF_8));
          arguments.add(ascii(Long.toString(millis(limit.ttl()))));
        }
        case Change.Remove remove -> {
          arguments.add(ascii("r"));
          arguments.add(remove.key().getBytes(UTF_8));
        }
      }
    }
    return arguments;
  }

  private static List<String> offeredTo(Commit commit) {
    return commit.changes().stream()
        .filter(change -> change instanceof Change.Put put && put.offered())
        .map(change -> ((Change.Put) change).recipient().orElseThrow())
        .toList();
  }

  private static void add(List<byte[]> arguments, Change.Put put, String writer, ValueCodec codec) {
    boolean plain = put.tags().isEmpty() && put.ttl().isEmpty();
    arguments.add(
        ascii(put.offered() ? "B" : put.recipient().isPresent() ? "S" : plain ? "w" : "W"));
    arguments.add(put.key().getBytes(UTF_8));
    byte[] metadata = codec.metadata(put.metadata());
    byte[] value = codec.value(put.key(), put.value());
    arguments.addAll(List.of(Frame.parts(put.tags(), writer, put.key(), metadata, value)));
    if (!plain || put.recipient().isPresent()) {
      arguments.add(Frame.joined(put.tags()));
      arguments.add(ascii(put.ttl().map(ttl -> Long.toString(millis(ttl))).orElse("")));
    }
    put.recipient().ifPresent(recipient -> arguments.add(recipient.getBytes(UTF_8)));
  }

  /** Of a time to live, in whole milliseconds: none is shortened. */
  static long millis(Duration ttl) {
    return ttl.plusNanos(999_999).toMillis();
  }

  private static String eviction(Eviction eviction) {
    char order =
        switch (eviction.order()) {
          case LEAST_RECENTLY_USED -> 'R';
          case LEAST_FREQUENTLY_USED -> 'F';
          case OLDEST -> 'O';
        };
    return order + " " + eviction.maxEntries();
  }

  /**
   * @throws BlackboardException if too much waits in the inbox
   */
  static CommitOutcome outcome(String reply) {
    if (reply.startsWith("B ")) {
      String[] full = reply.split(" ", 4);
      throw InboxRoom.full(InboxRoom.Bound.of(full[1]), Long.parseLong(full[2]), full[3]);
    }
    if (reply.startsWith("F ")) {
      int key = reply.indexOf(' ', 2) + 1;
      return new CommitOutcome.Failed(
          reply.substring(key), Long.parseLong(reply.substring(2, key - 1)));
    }
    String[] parts = reply.split(" ");
    Position head = Position.parse(parts[1]);
    List<Optional<CommitOutcome.Changed>> changes = new ArrayList<>(parts.length - 2);
    for (int i = 2; i < parts.length; i++) {
      changes.add(changed(parts[i], head.millis()));
    }
    return new CommitOutcome.Done(List.copyOf(changes), head);
  }

  /** All events of a commit are of one millisecond. */
  private static Optional<CommitOutcome.Changed> changed(String text, long millis) {
    int colon = text.indexOf(':');
    return colon < 0
        ? Optional.empty()
        : Optional.of(
            new CommitOutcome.Changed(
                Long.parseLong(text.substring(0, colon)),
                new Position(millis, Long.parseLong(text.substring(colon + 1)))));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
