package dev.colony.blackboard.board;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.EventType;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.board.ScopeEventLog.LoggedEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** A log of events k1, k2, k3 ...; what was trimmed or lost is taken off its ends. */
final class TestLog implements ScopeEventLog {

  /** An event that counts how often it is decoded. */
  static final class Logged implements LoggedEvent {

    private final long number;
    private final long before;
    private final int bytes;
    int decoded;

    Logged(long number, long before, int bytes) {
      this.number = number;
      this.before = before;
      this.bytes = bytes;
    }

    @Override
    public Position position() {
      return new Position(0, number);
    }

    @Override
    public Position previous() {
      return new Position(0, before);
    }

    @Override
    public EventType type() {
      return EventType.WRITTEN;
    }

    @Override
    public Optional<String> key() {
      return Optional.of("k" + number);
    }

    @Override
    public String writer() {
      return "w";
    }

    @Override
    public Set<String> tags() {
      return number % 2 == 0 ? Set.of("even") : Set.of();
    }

    @Override
    public int bytes() {
      return bytes;
    }

    @Override
    public BlackboardEvent event() {
      decoded++;
      return new BlackboardEvent.Written(
          Scope.tenant("t"),
          "k" + number,
          position(),
          Instant.EPOCH,
          "w",
          NullNode.getInstance(),
          0,
          1,
          tags());
    }
  }

  final List<Logged> events = new ArrayList<>();

  /** The limits of each read that was made. */
  final List<Integer> reads = new ArrayList<>();

  private int pageEvents = Integer.MAX_VALUE;
  long next = 1;
  boolean away;

  /** It keeps its answers back until {@link #answer}. */
  boolean slow;

  private final List<Runnable> due = new ArrayList<>();

  /** A page never has more events, whatever is asked for. */
  TestLog pages(int most) {
    pageEvents = most;
    return this;
  }

  Logged append() {
    return append(1);
  }

  Logged append(int bytes) {
    Logged event = new Logged(next, next - 1, bytes);
    next++;
    events.add(event);
    return event;
  }

  @Override
  public CompletionStage<Position> head() {
    return answer(() -> events.isEmpty() ? Position.BEGINNING : events.getLast().position());
  }

  @Override
  public CompletionStage<Page> read(Position after, int limit, long maxBytes) {
    return answer(() -> {
      reads.add(limit);
      List<LoggedEvent> page = new ArrayList<>();
      long bytes = 0;
      for (Logged event : events) {
        if (event.position().compareTo(after) > 0) {
          bytes += event.bytes();
          if (!page.isEmpty() && bytes > maxBytes) {
            return new Page(page, false);
          }
          page.add(event);
          if (page.size() == Math.min(limit, pageEvents)) {
            // It does not look whether there are more.
            return new Page(page, false);
          }
        }
      }
      return new Page(page, true);
    });
  }

  @Override
  public CompletionStage<Position> acknowledged(SubscribeFrom.Durable durable) {
    return answer(() -> new Position(0, 2));
  }

  /** Gives the answers that it has kept back, and those asked for meanwhile. */
  void answer() {
    while (!due.isEmpty()) {
      answerOne();
    }
  }

  void answerOne() {
    due.removeFirst().run();
  }

  private <T> CompletionStage<T> answer(Supplier<T> question) {
    if (away) {
      return CompletableFuture.failedStage(new BlackboardException(Reason.UNREACHABLE, "away"));
    }
    // What it finds is of now, whenever it is told.
    T found = question.get();
    CompletableFuture<T> answer = new CompletableFuture<>();
    due.add(() -> answer.complete(found));
    if (!slow) {
      answer();
    }
    return answer;
  }
}
