package dev.colony.inference.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.gateway.ReplicaSlots.Call;
import dev.colony.inference.replicas.EngineLoad;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicaSlotsTest {

  private static final int MOST = 8;
  private static final String R = "r";

  private long now = 1;
  private final ReplicaSlots slots = new ReplicaSlots(MOST, () -> now);

  private void pass(long millis) {
    now += Duration.ofMillis(millis).toNanos();
  }

  private int limit() {
    return slots.of(R, OptionalInt.empty());
  }

  private static EngineLoad load(int running, int waiting, double usage) {
    return new EngineLoad(running, waiting, usage, OptionalLong.empty(), OptionalInt.empty());
  }

  /** A server of so many slots: a prompt takes 10 ms, a reply 100 ms more. Returns the limits. */
  private List<Integer> serve(int has, int calls) {
    Deque<Call> waiting = new ArrayDeque<>();
    Deque<Call> running = new ArrayDeque<>();
    List<Integer> limits = new ArrayList<>();
    int sent = 0;
    while (sent < calls) {
      while (waiting.size() + running.size() < limit()) {
        waiting.add(slots.sent(R));
        sent++;
      }
      while (running.size() < has && !waiting.isEmpty()) {
        pass(10);
        waiting.peek().part();
        running.add(waiting.poll());
      }
      pass(100);
      running.poll().ended(false);
      limits.add(limit());
    }
    running.addAll(waiting);
    running.forEach(call -> call.ended(false));
    return limits;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void asManyCallsAsTheServerTakesAreLearned(int has) {
    Call alone = slots.sent(R);
    pass(10);
    alone.part();
    pass(100);
    alone.ended(false);
    List<Integer> limits = serve(has, 400);
    assertThat(limits.subList(50, limits.size()))
        .as("one more is tried now and then")
        .allMatch(one -> one == has || one == has + 1);
    assertThat(limits.stream().skip(50).filter(one -> one == has).count())
        .isGreaterThan((limits.size() - 50) * 4 / 5);
  }

  @Test
  void aServerThatTakesThemAllIsGivenThemAll() {
    assertThat(serve(64, 400)).containsOnly(MOST);
  }

  @Test
  void whatTheServerSaysCounts() {
    assertThat(slots.of(R, OptionalInt.of(2))).isEqualTo(2);
    assertThat(slots.of(R, OptionalInt.of(64))).isEqualTo(MOST);
  }

  @Test
  void whereAnEngineHasCallsWaitingAsManyAreSentAsItRuns() {
    slots.load(R, load(3, 2, 0.5));
    assertThat(limit()).isEqualTo(4);
    slots.load(R, load(3, 0, 0.5));
    assertThat(limit()).isEqualTo(MOST);
    slots.load(R, load(3, 2, 0.5));
    pass(6000);
    assertThat(limit()).as("what it said has grown old").isEqualTo(MOST);
  }

  /** llama-cpp-python's server ends a stream where another request comes. */
  @Test
  void aServerThatBreaksAReplyOffForTheNextCallTakesOne() {
    Call first = slots.sent(R);
    pass(10);
    first.part();
    Call second = slots.sent(R);
    pass(10);
    first.ended(true);
    assertThat(limit()).isEqualTo(1);
    second.ended(false);
  }

  @Test
  void aServerMovesWhileOthersGetTheirReplies() {
    Call waits = slots.sent(R);
    assertThat(waits.moves()).as("it is alone").isFalse();
    Call other = slots.sent(R);
    other.part();
    assertThat(waits.moves()).isTrue();
    assertThat(other.moves()).as("its own parts do not count").isFalse();
    pass(16_000);
    assertThat(waits.moves()).as("the other one hangs").isFalse();
    other.ended(false);
    assertThat(waits.moves()).as("its turn comes").isTrue();
  }

  @Test
  void anEngineMovesWhileItsFiguresDo() {
    Call call = slots.sent(R);
    slots.load(R, load(1, 0, 0.1));
    pass(14_000);
    slots.load(R, load(1, 0, 0.2));
    pass(14_000);
    slots.load(R, load(1, 0, 0.2));
    assertThat(call.moves()).as("its cache fills").isTrue();
    pass(2000);
    slots.load(R, load(1, 0, 0.2));
    assertThat(call.moves()).isFalse();
  }
}
