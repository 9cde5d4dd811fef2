package dev.colony.inference.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.colony.inference.gateway.AdmissionDecision.Admitted;
import dev.colony.inference.gateway.AdmissionDecision.EvictReason;
import dev.colony.inference.gateway.AdmissionDecision.Evicted;
import dev.colony.inference.gateway.AdmissionDecision.RejectReason;
import dev.colony.inference.gateway.AdmissionDecision.Rejected;
import dev.colony.inference.gateway.AdmissionDecision.Unavailable;
import dev.colony.inference.gateway.AdmissionQueue.AdmissionRequest;
import dev.colony.inference.gateway.AdmissionQueue.Bounds;
import dev.colony.inference.gateway.AdmissionSettings.TenantShare;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

class AdmissionQueueTest {

  private static final Duration AGING = Duration.ofMillis(1);
  private static final long TICK = AGING.toNanos() / 100;
  private static final long NEVER = Long.MAX_VALUE / 2;
  private static final List<String> TENANTS = List.of("acme", "blue", "cyan");
  private static final AdmissionSettings SMALL =
      new AdmissionSettings(
          6,
          new TenantShare(1, 4, 3),
          Map.of("acme", new TenantShare(2, 5, 2), "blue", new TenantShare(3, 2, 4)));

  private static Bounds bounds(int lookAhead) {
    return new Bounds(AGING, lookAhead, Duration.ofSeconds(1), Duration.ofMinutes(1));
  }

  private static AdmissionSettings roomy(Map<String, TenantShare> tenants) {
    return new AdmissionSettings(100_000, new TenantShare(1, 100_000, 100_000), tenants);
  }

  /** What is done with a queue; calls are named by their number among the offered ones. */
  sealed interface Step {
    record Offer(String tenant, int priority, long cost, long within) implements Step {}

    /** Calls begin, at most so many, and only those with these remainders of their number by 3. */
    record Dispatch(int most, int remainders) implements Step {}

    record End(int which, long took) implements Step {}

    /** A running call ends and comes in again, with so much less of its deadline. */
    record Delay(int which, long took) implements Step {}

    record Resume(int which) implements Step {}

    record Cancel(int which) implements Step {}

    record Expire() implements Step {}

    record Pass(long time) implements Step {}
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> any = Arbitraries.integers().between(0, 1000);
    Arbitrary<Step> offer =
        Combinators.combine(
                Arbitraries.of(TENANTS),
                Arbitraries.integers().between(0, 9),
                Arbitraries.longs().between(1, 500),
                Arbitraries.longs().between(-5, 2_000))
            .as(Step.Offer::new);
    Arbitrary<Step> dispatch =
        Combinators.combine(
                Arbitraries.integers().between(1, 3), Arbitraries.integers().between(1, 7))
            .as(Step.Dispatch::new);
    Arbitrary<Step> end =
        Combinators.combine(any, Arbitraries.longs().between(0, 800)).as(Step.End::new);
    return Arbitraries.frequencyOf(
            Tuple.of(8, offer),
            Tuple.of(4, dispatch),
            Tuple.of(4, end),
            Tuple.of(
                2,
                Combinators.combine(any, Arbitraries.longs().between(0, 800)).as(Step.Delay::new)),
            Tuple.of(3, any.map(Step.Resume::new)),
            Tuple.of(1, any.map(Step.Cancel::new)),
            Tuple.of(1, Arbitraries.just(new Step.Expire())),
            Tuple.of(3, Arbitraries.longs().between(0, 300).map(Step.Pass::new)))
        .list()
        .ofMaxSize(200);
  }

  @Property
  void itDecidesAsTheSpecificationDoes(@ForAll("steps") List<Step> steps) {
    AdmissionQueue<Integer> queue = new AdmissionQueue<>(SMALL, bounds(3));
    NaiveAdmission naive = new NaiveAdmission(SMALL, bounds(3));
    Map<Integer, AdmissionRequest> requests = new HashMap<>();
    Map<Integer, Long> arrivals = new HashMap<>();
    int offered = 0;
    long now = 0;
    for (Step step : steps) {
      switch (step) {
        case Step.Offer o -> {
          AdmissionRequest request =
              new AdmissionRequest(o.tenant(), o.priority(), o.cost(), now + TICK * o.within());
          assertThat(queue.offer(offered, request, now))
              .isEqualTo(naive.offer(offered, request, now));
          requests.put(offered, request);
          arrivals.put(offered, now);
          offered++;
        }
        case Step.Dispatch d ->
            assertThat(queue.dispatch(now, slots(d))).isEqualTo(naive.dispatch(now, slots(d)));
        case Step.End e -> {
          List<Integer> running = naive.runningCalls();
          if (!running.isEmpty()) {
            int call = running.get(e.which() % running.size());
            queue.ended(call, e.took(), now);
            naive.ended(call, e.took(), now);
          }
        }
        case Step.Delay d -> {
          List<Integer> running = naive.runningCalls();
          if (!running.isEmpty()) {
            int call = running.get(d.which() % running.size());
            queue.ended(call, d.took(), now);
            naive.ended(call, d.took(), now);
            assertThat(queue.delay(call, requests.get(call), arrivals.get(call), now))
                .isEqualTo(naive.delay(call, requests.get(call), arrivals.get(call), now));
          }
        }
        case Step.Resume r -> {
          queue.resume(r.which() % (offered + 1));
          naive.resume(r.which() % (offered + 1));
        }
        case Step.Cancel c ->
            assertThat(queue.cancel(c.which() % (offered + 1)))
                .isEqualTo(naive.cancel(c.which() % (offered + 1)));
        case Step.Expire e -> assertThat(queue.expire(now)).isEqualTo(naive.expire(now));
        case Step.Pass p -> now += TICK * p.time();
      }
      assertThat(queue.waiting()).isEqualTo(naive.waiting()).isLessThanOrEqualTo(6);
      assertThat(queue.running()).isEqualTo(naive.runningCalls().size());
    }
  }

  private static Predicate<Integer> slots(Step.Dispatch step) {
    int[] left = {step.most()};
    return call -> (step.remainders() >> call % 3 & 1) == 1 && left[0]-- > 0;
  }

  private static Predicate<Object> slots(int most) {
    int[] left = {most};
    return call -> left[0]-- > 0;
  }

  private static AdmissionRequest ask(String tenant, int priority, long cost) {
    return new AdmissionRequest(tenant, priority, cost, NEVER);
  }

  private static List<Object> calls(List<? extends AdmissionDecision<?>> decisions) {
    return new ArrayList<>(decisions.stream().map(AdmissionDecision::call).toList());
  }

  @Test
  void tenantsShareByWeightAndByTokens() {
    AdmissionQueue<String> queue =
        new AdmissionQueue<>(roomy(Map.of("two", new TenantShare(2, 100_000, 100_000))), bounds(8));
    for (int i = 0; i < 300; i++) {
      queue.offer("one-" + i, ask("one", 0, 10), 0);
      queue.offer("two-" + i, ask("two", 0, 10), 0);
      queue.offer("large-" + i, ask("large", 0, 100), 0);
    }
    List<Object> first = calls(queue.dispatch(0, slots(310)));
    assertThat(first.stream().filter(call -> call.toString().startsWith("two"))).hasSize(200);
    assertThat(first.stream().filter(call -> call.toString().startsWith("one"))).hasSize(100);
    assertThat(first.stream().filter(call -> call.toString().startsWith("large"))).hasSize(10);
  }

  @Test
  void whatACallTookReplacesWhatItWasTakenToCost() {
    AdmissionQueue<String> queue = new AdmissionQueue<>(roomy(Map.of()), bounds(8));
    List<String> calls = List.of("a1", "a2", "b1", "b2");
    calls.forEach(call -> queue.offer(call, ask(call.substring(0, 1), 0, 10), 0));
    assertThat(calls(queue.dispatch(0, slots(2)))).containsExactly("a1", "b1");
    queue.ended("a1", 500, 1);
    queue.ended("b1", 10, 1);
    queue.offer("b3", ask("b", 0, 10), 1);
    assertThat(calls(queue.dispatch(1, slots(3)))).containsExactly("b2", "b3", "a2");
  }

  @Test
  void whoWasAwayIsOwedNothing() {
    AdmissionQueue<String> queue = new AdmissionQueue<>(roomy(Map.of()), bounds(8));
    for (int i = 0; i < 100; i++) {
      queue.offer("a" + i, ask("a", 0, 10), 0);
    }
    queue.dispatch(0, slots(50));
    for (int i = 0; i < 100; i++) {
      queue.offer("b" + i, ask("b", 0, 10), 0);
    }
    assertThat(
            calls(queue.dispatch(0, slots(20))).stream()
                .filter(call -> call.toString().startsWith("b")))
        .hasSizeBetween(10, 11);
  }

  @Test
  void aCallOfHigherPriorityGoesFirstUntilTheOthersHaveAged() {
    AdmissionQueue<String> queue = new AdmissionQueue<>(roomy(Map.of()), bounds(8));
    queue.offer("low", ask("a", 0, 10), 0);
    queue.offer("soon", ask("a", 1, 10), AGING.toNanos() - 1);
    queue.offer("late", ask("a", 1, 10), AGING.toNanos() + 1);
    queue.offer("urgent", ask("a", 9, 10), AGING.toNanos() + 1);
    assertThat(calls(queue.dispatch(0, slots(9)))).containsExactly("urgent", "soon", "low", "late");
  }

  @Test
  void aFullTenantIsRejectedAndMakesRoomForItsOwnUrgentCalls() {
    AdmissionQueue<String> queue =
        new AdmissionQueue<>(
            new AdmissionSettings(10, new TenantShare(1, 2, 9), Map.of()), bounds(8));
    queue.offer("a", ask("t", 1, 10), 0);
    queue.offer("b", ask("t", 0, 10), 0);
    assertThat(queue.offer("c", ask("t", 0, 10), 1))
        .containsExactly(new Rejected<>("c", RejectReason.TENANT_FULL, Duration.ofSeconds(1)));
    assertThat(queue.offer("d", ask("t", 5, 10), 2))
        .containsExactly(
            new Evicted<>(
                "b", EvictReason.HIGHER_PRIORITY, Duration.ofNanos(2), Duration.ofSeconds(1)));
    assertThat(calls(queue.dispatch(2, slots(9)))).containsExactly("d", "a");
  }

  @Test
  void aFullRoomMakesPlaceForTheTenantWithFewerCalls() {
    AdmissionQueue<String> queue =
        new AdmissionQueue<>(
            new AdmissionSettings(3, new TenantShare(1, 9, 9), Map.of()), bounds(8));
    List.of("a1", "a2", "a3").forEach(call -> queue.offer(call, ask("a", 0, 10), 0));
    assertThat(queue.offer("b1", ask("b", 0, 10), 0))
        .containsExactly(
            new Evicted<>("a3", EvictReason.FAIR_SHARE, Duration.ZERO, Duration.ofSeconds(1)));
    assertThat(queue.offer("b2", ask("b", 0, 10), 0))
        .containsExactly(new Rejected<>("b2", RejectReason.FULL, Duration.ofSeconds(1)));
    assertThat(queue.offer("a4", ask("a", 0, 10), 0))
        .containsExactly(new Rejected<>("a4", RejectReason.FULL, Duration.ofSeconds(1)));
  }

  @Test
  void aCallWhoseTurnComesTooLateIsRejectedAtOnceAndOneThatIsLateIsEvicted() {
    AdmissionQueue<Object> queue = new AdmissionQueue<>(roomy(Map.of()), bounds(8));
    // One slot that takes 1000 ns for a token, by what has ended.
    long now = 0;
    for (int i = 0; i < 10; i++) {
      queue.offer(i, ask("a", 0, 1), now);
      queue.dispatch(now, slots(1));
      now += 1000;
      queue.ended(i, 1, now);
    }
    queue.offer("runs", ask("a", 0, 50), now);
    queue.dispatch(now, slots(1));
    queue.offer("waits", ask("a", 0, 50), now);
    AdmissionRequest hopeless = new AdmissionRequest("a", 0, 1, now + 49_000);
    AdmissionRequest possible = new AdmissionRequest("a", 0, 1, now + 51_000);
    assertThat(queue.offer("hopeless", hopeless, now))
        .containsExactly(new Rejected<>("hopeless", RejectReason.TOO_LATE, Duration.ofSeconds(1)));
    assertThat(queue.offer("possible", possible, now)).isEmpty();
    assertThat(queue.expire(now + 51_000)).isEmpty();
    assertThat(queue.expire(now + 51_001))
        .containsExactly(
            new Evicted<>(
                "possible", EvictReason.DEADLINE, Duration.ofNanos(51_001), Duration.ofSeconds(1)));
    assertThat(queue.waiting()).isEqualTo(1);
  }

  @Test
  void retryAfterIsTheTimeInWhichHalfOfTheTenantsCallsBegin() {
    long second = Duration.ofSeconds(1).toNanos();
    AdmissionQueue<Object> queue =
        new AdmissionQueue<>(
            new AdmissionSettings(100, new TenantShare(1, 20, 9), Map.of()), bounds(8));
    for (int i = 0; i < 10; i++) {
      queue.offer(i, ask("a", 0, 1), i * second);
      queue.dispatch(i * second, slots(1));
      queue.ended(i, 1, (i + 1) * second);
    }
    for (int i = 10; i < 30; i++) {
      queue.offer(i, ask("a", 0, 1), 10 * second);
    }
    queue.dispatch(10 * second, slots(1));
    queue.offer(30, ask("a", 0, 1), 10 * second);
    assertThat(queue.offer(31, ask("a", 0, 1), 10 * second))
        .containsExactly(new Rejected<>(31, RejectReason.TENANT_FULL, Duration.ofSeconds(10)));
  }

  @Test
  void aCancelledCallHasGoneAtOnceAndNothingIsKeptOfTenantsThatAreDone() {
    AdmissionQueue<Integer> queue = new AdmissionQueue<>(roomy(Map.of()), bounds(8));
    for (int i = 0; i < 1000; i++) {
      queue.offer(i, ask("t" + i, 0, 1000), 0);
    }
    for (int i = 0; i < 999; i++) {
      assertThat(queue.cancel(i)).isTrue();
      assertThat(queue.cancel(i)).isFalse();
    }
    assertThat(queue.waiting()).isEqualTo(1);
    assertThat(queue.tenants()).isEqualTo(1);
    assertThat(queue.dispatch(0, slots(5))).containsExactly(new Admitted<>(999, Duration.ZERO));
    queue.ended(999, 0, 1);
    assertThat(queue.tenants()).isZero();
  }

  @Test
  void aCallThatIsCarriedOutOnceMoreKeepsItsPlaceAndIsNotAdmittedBeforeItIsResumed() {
    AdmissionQueue<String> queue = new AdmissionQueue<>(roomy(Map.of()), bounds(8));
    queue.offer("a", ask("t", 0, 10), 0);
    queue.dispatch(0, slots(1));
    queue.offer("b", ask("t", 0, 10), 1);
    queue.offer("c", ask("t", 0, 10), 2);
    queue.ended("a", 10, 3);
    assertThat(queue.delay("a", ask("t", 0, 10), 0, 3)).isEmpty();
    assertThat(queue.waiting()).isEqualTo(3);
    assertThat(calls(queue.dispatch(3, slots(1)))).containsExactly("b");
    queue.resume("a");
    assertThat(queue.dispatch(4, slots(9)))
        .containsExactly(
            new Admitted<>("a", Duration.ofNanos(4)), new Admitted<>("c", Duration.ofNanos(2)));
  }

  @Test
  void allThatWaitAreToldThatNoReplicaLivesAndWhatRunsGoesOn() {
    AdmissionQueue<String> queue = new AdmissionQueue<>(roomy(Map.of()), bounds(8));
    List.of("a", "b", "c").forEach(call -> queue.offer(call, ask("t", 0, 1), 0));
    queue.dispatch(0, slots(1));
    assertThat(queue.unavailable(5))
        .containsExactly(
            new Unavailable<>("b", Duration.ofNanos(5)),
            new Unavailable<>("c", Duration.ofNanos(5)));
    assertThat(queue.waiting()).isZero();
    assertThat(queue.running()).isEqualTo(1);
  }

  @Test
  void aCallIsHereOnceAndEndsOnce() {
    AdmissionQueue<Integer> queue = new AdmissionQueue<>(roomy(Map.of()), bounds(8));
    queue.offer(1, ask("a", 0, 1), 0);
    assertThatThrownBy(() -> queue.offer(1, ask("a", 0, 1), 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("here already");
    assertThatThrownBy(() -> queue.ended(1, 1, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("does not run");
  }

  @Test
  void settingsNameTheTenantTheValueAndTheRange() {
    AdmissionSettings read = with("colony.inference.admission.tenants { \"a.b\" { weight = 4 } }");
    assertThat(read.of("a.b").weight()).isEqualTo(4);
    assertThat(read.of("a.b").maxWaiting()).isEqualTo(read.usual().maxWaiting());
    assertThat(read.of("other")).isEqualTo(read.usual());
    assertThatThrownBy(() -> with("colony.inference.admission.tenants.acme.weight = 0"))
        .hasMessageContaining("colony.inference.admission.tenants.acme.weight")
        .hasMessageContaining("is 0, but must be 1 to 10000");
    assertThatThrownBy(() -> with("colony.inference.admission.tenants.acme.wieght = 2"))
        .hasMessageContaining("colony.inference.admission.tenants.acme.wieght")
        .hasMessageContaining("these are: [max-running, max-waiting, weight]");
  }

  private static AdmissionSettings with(String text) {
    return AdmissionSettings.fromConfig(
        ConfigFactory.parseString(text).withFallback(ConfigFactory.load()));
  }
}
