package dev.colony.blackboard.board;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.BlackboardSubscriber;
import dev.colony.blackboard.BoardPolicies;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.RetryPolicy;
import dev.colony.blackboard.SubscribeFrom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Flow;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** A subscriber that may not read everything. */
class SubscriptionPolicyTest {

  private static final BoardPolicies NO_SECRETS =
      BoardPolicies.NONE.access((agent, operation, key) ->
          key.startsWith("secret") ? Optional.of("no") : Optional.empty());

  /** Keeps what it is called with and demands some at a time. */
  private static class Kept implements Flow.Subscriber<BlackboardEvent> {

    final List<String> calls = new ArrayList<>();
    Flow.Subscription subscription;

    @Override
    public void onSubscribe(Flow.Subscription established) {
      subscription = established;
    }

    @Override
    public void onNext(BlackboardEvent event) {
      calls.add(event.entryKey().orElse("the scope"));
    }

    @Override
    public void onError(Throwable failure) {
      calls.add(failure.getMessage());
    }

    @Override
    public void onComplete() {
      calls.add("complete");
    }
  }

  private static final class Told extends Kept implements BlackboardSubscriber {

    @Override
    public void onBehind(Position last) {
      calls.add("behind " + last);
    }

    @Override
    public void onCaughtUp() {
      calls.add("caught up");
    }
  }

  private final TinyStore store = new TinyStore();
  private final Blackboard board =
      new Boards(RetryPolicy.NEVER, InstantSource.system()).open(store, "intern", NO_SECRETS);

  private Flow.Subscriber<? super BlackboardEvent> subscribe(Kept target) {
    board.subscribe(EventFilter.all(), SubscribeFrom.now()).subscribe(target);
    return store.subscriber();
  }

  /** Hands out the events for which there is demand, as a backend does. */
  private static final class Source implements Flow.Subscription {

    private long demand;

    @Override
    public void request(long n) {
      demand += n;
    }

    @Override
    public void cancel() {
      demand = 0;
    }
  }

  @Property(tries = 200)
  void anEventLeftOutEatsNoDemand(
      @ForAll @Size(max = 30) List<Boolean> secret, @ForAll @IntRange(max = 20) int wanted) {
    Kept kept = new Kept();
    Flow.Subscriber<? super BlackboardEvent> inner = subscribe(kept);
    Source source = new Source();
    inner.onSubscribe(source);
    if (wanted > 0) {
      kept.subscription.request(wanted);
    }
    List<String> readable = new ArrayList<>();
    int next = 0;
    while (source.demand > 0 && next < secret.size()) {
      source.demand--;
      inner.onNext(event((secret.get(next) ? "secret:" : "open:") + next));
      next++;
    }
    for (int i = 0; i < secret.size(); i++) {
      if (!secret.get(i)) {
        readable.add("open:" + i);
      }
    }
    assertThat(kept.calls).isEqualTo(readable.stream().limit(wanted).toList());
    assertThat(board.counters().events()).isGreaterThanOrEqualTo(kept.calls.size());
  }

  @Example
  void eventsAreCountedAsTheyAreHandedOn() {
    Kept kept = new Kept();
    Flow.Subscriber<? super BlackboardEvent> inner = subscribe(kept);
    inner.onSubscribe(new Source());
    inner.onNext(event("open"));
    inner.onNext(event("secret"));
    inner.onNext(
        new BlackboardEvent.Cleared(TinyStore.SCOPE, new Position(1, 3), Instant.EPOCH, "lead", 2));
    assertThat(kept.calls).containsExactly("open", "the scope");
    assertThat(board.counters().events()).isEqualTo(2);
  }

  @Example
  void whatIsToldOfTheSubscriptionPassesThrough() {
    Told told = new Told();
    BlackboardSubscriber inner = (BlackboardSubscriber) subscribe(told);
    inner.onSubscribe(new Source());
    inner.onBehind(new Position(1, 7));
    inner.onNext(event("open"));
    inner.onCaughtUp();
    inner.onError(new IllegalStateException("lost"));
    inner.onComplete();
    assertThat(told.calls).containsExactly("behind 1-7", "open", "caught up", "lost", "complete");
  }

  @Example
  void aPlainSubscriberNeedNotKnowOfIt() {
    Kept kept = new Kept();
    BlackboardSubscriber inner = (BlackboardSubscriber) subscribe(kept);
    inner.onSubscribe(new Source());
    inner.onBehind(new Position(1, 7));
    inner.onCaughtUp();
    assertThat(kept.calls).isEmpty();
  }

  private static BlackboardEvent event(String key) {
    return new BlackboardEvent.Written(
        TinyStore.SCOPE,
        key,
        new Position(1, 1),
        Instant.EPOCH,
        "lead",
        IntNode.valueOf(1),
        0,
        1,
        Set.of());
  }
}
