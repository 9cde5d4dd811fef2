package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EntryPage;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.SubscribeFrom;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.cli.terminal.Watcher.Acknowledger;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/** The scopes of one phase, each with a subscriber; closing them ends the subscriptions. */
final class LoadedScopes implements AutoCloseable {

  private static final int PAGE = 1_000;
  private static final String SUBSCRIPTION = "bench";

  private final BoardBench.BoardLoad load;
  private final NumberedValue values;
  private final List<Blackboard> boards;
  private final List<Receiver> receivers;
  private final Arrivals arrivals;
  private final LongAdder fellBehind = new LongAdder();

  /**
   * Subscribes durably, so that no event is lost to a subscriber that is slow for a while, and
   * returns when all subscriptions are there.
   *
   * @param phase names the scopes, which no other phase uses
   */
  LoadedScopes(Blackboards blackboards, String phase, BoardBench.BoardLoad load) {
    this.load = load;
    this.values = new NumberedValue(load.valueBytes());
    this.arrivals = new Arrivals(load.ops());
    this.boards =
        IntStream.range(0, load.scopes())
            .mapToObj(i ->
                blackboards.open(
                    Scope.session("bench", "board", Integer.toString(i)).namespace(phase), "bench"))
            .toList();
    this.receivers = boards.stream().map(this::subscribed).toList();
    ClosedLoop.await(
        CompletableFuture.allOf(
            receivers.stream().map(Receiver::established).toArray(CompletableFuture[]::new)),
        "the subscriptions");
  }

  private Receiver subscribed(Blackboard board) {
    Acknowledger acknowledger =
        new Acknowledger(position -> board.acknowledge(SUBSCRIPTION, position));
    Receiver receiver = new Receiver(acknowledger);
    board.subscribe(EventFilter.all(), SubscribeFrom.durable(SUBSCRIPTION)).subscribe(receiver);
    return receiver;
  }

  /**
   * Makes the write of a number; its event is awaited from then on.
   *
   * @param sinceNanos from when its latency counts, as {@link System#nanoTime}
   */
  CompletionStage<WriteResult> write(int number, long sinceNanos) {
    Write write = Write.of(key(number / load.scopes() % load.keys()), values.of(number));
    arrivals.sent(number, sinceNanos);
    return boards.get(number % load.scopes()).write(write);
  }

  static String key(int number) {
    return "key-" + number;
  }

  Arrivals arrivals() {
    return arrivals;
  }

  long fellBehind() {
    return fellBehind.sum();
  }

  Arrivals.Tally tally() {
    long entries = 0;
    long versions = 0;
    for (Blackboard board : boards) {
      Optional<Query.Cursor> next = Optional.empty();
      Query all = Query.all().limit(PAGE);
      do {
        EntryPage page = board.query(next.map(all::from).orElse(all)).toCompletableFuture().join();
        entries += page.entries().size();
        versions += page.entries().stream().mapToLong(Entry::version).sum();
        next = page.next();
      } while (next.isPresent());
    }
    return new Arrivals.Tally(load.ops(), entries, versions, arrivals.lost(), arrivals.doubled());
  }

  @Override
  public void close() {
    receivers.forEach(Receiver::cancel);
  }

  /**
   * A subscriber that takes the events as fast as they come, notes that they have, and says now and
   * then how far it is.
   */
  private final class Receiver implements BlackboardSubscriber {
    private static final int AHEAD = 256;
    private static final int EVENTS_PER_MARK = 1_024;

    private final Acknowledger acknowledger;
    private final CompletableFuture<Void> established = new CompletableFuture<>();
    private volatile Flow.Subscription subscription;
    private int sinceRequest;
    private int sinceMark;

    Receiver(Acknowledger acknowledger) {
      this.acknowledger = acknowledger;
    }

    /** Completes when the subscription is there; fails if it cannot be. */
    CompletableFuture<Void> established() {
      return established;
    }

    void cancel() {
      subscription.cancel();
    }

    @Override
    public void onSubscribe(Flow.Subscription newSubscription) {
      subscription = newSubscription;
      newSubscription.request(2 * AHEAD);
      established.complete(null);
    }

    @Override
    public void onNext(BlackboardEvent event) {
      if (event instanceof BlackboardEvent.Written written) {
        arrivals.arrived(NumberedValue.number(written.value()));
      }
      if (++sinceRequest == AHEAD) {
        sinceRequest = 0;
        subscription.request(AHEAD);
      }
      if (++sinceMark == EVENTS_PER_MARK) {
        sinceMark = 0;
        acknowledger.done(event.position());
      }
    }

    @Override
    public void onBehind(Position last) {
      fellBehind.increment();
    }

    /** What has not arrived counts as lost. */
    @Override
    public void onError(Throwable failure) {
      established.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      established.complete(null);
    }
  }

  /**
   * Values of one length that carry the number of their write, so that its event is known by it.
   */
  static final class NumberedValue {

    /** The least length: two quotation marks and the number. */
    static final int LEAST_BYTES = 10;

    private static final int DIGITS = 8;

    private final String padding;

    /**
     * @param bytes as JSON, at least {@link #LEAST_BYTES}
     */
    NumberedValue(int bytes) {
      padding = "x".repeat(bytes - LEAST_BYTES);
    }

    JsonNode of(int number) {
      return TextNode.valueOf(HexFormat.of().toHexDigits(number) + padding);
    }

    static int number(JsonNode value) {
      return HexFormat.fromHexDigits(value.textValue(), 0, DIGITS);
    }
  }
}
