package dev.colony.core.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.core.capacity.CapacitySettings.Shares;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Whose turn it is, under whatever order of arrivals. */
class FairQueueTest {

  private static final Aging AGING = new Aging(10);
  private static final int NEVER_STRICT = Integer.MAX_VALUE;

  private final Map<String, Integer> used = new HashMap<>();

  private static FairQueue<SlotRequest> queue(int strictEvery) {
    return new FairQueue<>(AGING, strictEvery, true, request -> request);
  }

  private Optional<SlotRequest> serve(FairQueue<SlotRequest> queue) {
    Optional<SlotRequest> next =
        queue.next(request -> true, tenant -> used.getOrDefault(tenant, 0));
    next.ifPresent(request -> used.merge(request.tenant(), 1, Integer::sum));
    return next;
  }

  private List<String> all(FairQueue<SlotRequest> queue) {
    List<String> names = new ArrayList<>();
    for (Optional<SlotRequest> next = serve(queue); next.isPresent(); next = serve(queue)) {
      names.add(next.get().agent().name());
    }
    return names;
  }

  @Test
  void withinATenantPriorityGoesBeforeAgeUntilAgeHasMadeUpForIt() {
    FairQueue<SlotRequest> queue = queue(NEVER_STRICT);
    // Ten points a minute: 30 points are three minutes.
    queue.add(Requests.of("acme", "old", 50, Requests.at(0)));
    queue.add(Requests.of("acme", "late", 80, Requests.at(181)));
    queue.add(Requests.of("acme", "soon", 80, Requests.at(179)));
    queue.add(Requests.of("acme", "same", 50, Requests.at(0)));
    assertThat(all(queue)).containsExactly("soon", "old", "same", "late");
  }

  @Test
  void theTenantThatUsesLeastOfItsShareGoesFirst() {
    FairQueue<SlotRequest> queue = queue(NEVER_STRICT);
    used.put("acme", 2);
    for (int i = 0; i < 3; i++) {
      queue.add(Requests.of("acme", "a" + i, 100, Requests.at(0)));
      queue.add(Requests.of("bolt", "b" + i, 0, Requests.at(i)));
    }
    assertThat(all(queue)).containsExactly("b0", "b1", "a0", "b2", "a1", "a2");
  }

  @Test
  void tenantsThatUseTheSameTakeTurns() {
    FairQueue<SlotRequest> queue = queue(NEVER_STRICT);
    for (String tenant : List.of("x", "y", "z")) {
      queue.add(Requests.of(tenant, tenant + 0, 50, Requests.at(0)));
      queue.add(Requests.of(tenant, tenant + 1, 50, Requests.at(0)));
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      SlotRequest next = queue.next(request -> true, tenant -> 0).orElseThrow();
      names.add(next.agent().name());
    }
    assertThat(names).containsExactly("x0", "y0", "z0", "x1", "y1", "z1");
  }

  @Test
  void aTenantThatComesAnewIsNotBeforeThoseThatWait() {
    FairQueue<SlotRequest> queue = queue(NEVER_STRICT);
    for (String tenant : List.of("x", "y")) {
      queue.add(Requests.of(tenant, tenant + 0, 50, Requests.at(0)));
      queue.add(Requests.of(tenant, tenant + 1, 50, Requests.at(0)));
    }
    queue.next(request -> true, tenant -> 0);
    queue.next(request -> true, tenant -> 0);
    queue.add(Requests.of("new", "n", 50, Requests.at(0)));
    assertThat(queue.next(request -> true, tenant -> 0).orElseThrow().agent().name())
        .isEqualTo("x1");
  }

  @Test
  void whoDoesNotFitIsPassedOverButNotInAStrictTurn() {
    FairQueue<SlotRequest> queue = queue(3);
    queue.add(Requests.of("acme", "large", 50, 10, Requests.at(0)));
    for (int i = 0; i < 4; i++) {
      queue.add(Requests.of("acme", "small" + i, 50, 1, Requests.at(1 + i)));
    }
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      queue
          .next(request -> request.tokens() < 10, tenant -> 0)
          .ifPresent(next -> names.add(next.agent().name()));
    }
    assertThat(names).containsExactly("small0", "small1");
    assertThat(queue.next(request -> true, tenant -> 0).orElseThrow().agent().name())
        .isEqualTo("large");
    assertThat(queue.next(request -> request.tokens() < 10, tenant -> 0)).isPresent();
  }

  @Test
  void forSeveralNodesAStrictTurnGoesToTheFirstThatFits() {
    FairQueue<SlotRequest> queue = new FairQueue<>(AGING, 1, false, request -> request);
    queue.add(Requests.of("acme", "elsewhere", 100, 10, Requests.at(0)));
    queue.add(Requests.of("acme", "late", 50, Requests.at(9)));
    queue.add(Requests.of("bolt", "early", 50, Requests.at(2)));
    assertThat(queue.next(request -> request.tokens() == 0, tenant -> 0).orElseThrow().agent())
        .hasFieldOrPropertyWithValue("name", "early");
  }

  @Test
  void theLastOneOfTheTenantWithTheMostIsSentAwayFirst() {
    FairQueue<SlotRequest> queue = queue(NEVER_STRICT);
    queue.add(Requests.of("bolt", "b", 0, Requests.at(99)));
    queue.add(Requests.of("acme", "a0", 50, Requests.at(0)));
    queue.add(Requests.of("acme", "a1", 50, Requests.at(1)));
    assertThat(queue.last().orElseThrow().agent().name()).isEqualTo("a1");
    assertThat(queue.longest().orElseThrow().agent().name()).isEqualTo("a0");
  }

  /** No agent is passed over for ever: others of all tenants and priorities keep coming. */
  @Property(tries = 300)
  void whoHasSoManyBeforeHimIsServedWithinSoManyTurns(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 20) int strictEvery) {
    Random random = new Random(seed);
    FairQueue<SlotRequest> queue = queue(strictEvery);
    used.clear();
    int before = random.nextInt(30);
    for (int i = 0; i < before; i++) {
      queue.add(any(random, "early" + i, Requests.at(0)));
    }
    SlotRequest patient = Requests.of("poor", "patient", 0, Requests.at(1));
    used.put("poor", 1_000_000);
    queue.add(patient);
    long ahead = before;
    int turn = 0;
    // One turn a second, and for each of them several that come.
    while (true) {
      Instant now = Requests.at(2 + turn);
      for (int i = random.nextInt(4); i > 0; i--) {
        SlotRequest other = any(random, "o" + turn + "-" + i, now);
        queue.add(other);
        ahead += AGING.rank(other) <= AGING.rank(patient) ? 1 : 0;
      }
      SlotRequest next = serve(queue).orElseThrow();
      turn++;
      if (next == patient) {
        break;
      }
      assertThat(turn)
          .as("turns with %d ahead", ahead)
          .isLessThan((int) (strictEvery * (ahead + 1)));
    }
    assertThat(turn).isLessThanOrEqualTo((int) (strictEvery * (ahead + 1)));
  }

  /** In the turns that are not strict, tenants who all want more have the same, one apart. */
  @Property(tries = 200)
  void tenantsThatAllWantMoreHaveWhatTheirSharesAre(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 6) int tenants) {
    Random random = new Random(seed);
    FairQueue<SlotRequest> queue = queue(NEVER_STRICT);
    Shares shares = new Shares(Map.of("t0", 3), 1);
    int places = 60;
    used.clear();
    for (int tenant = 0; tenant < tenants; tenant++) {
      for (int i = 0; i < places; i++) {
        queue.add(
            Requests.of("t" + tenant, "a" + i, random.nextInt(101), Requests.at(random.nextInt())));
      }
    }
    for (int i = 0; i < places; i++) {
      SlotRequest next =
          queue
              .next(
                  request -> true,
                  tenant -> (double) used.getOrDefault(tenant, 0) / shares.of(tenant))
              .orElseThrow();
      used.merge(next.tenant(), 1, Integer::sum);
    }
    double part = (double) places / (tenants + 2);
    used.forEach((tenant, has) ->
        assertThat((double) has)
            .as(tenant)
            .isBetween(part * shares.of(tenant) - shares.of(tenant), part * shares.of(tenant) + 3));
  }

  /** A lower priority delays a higher one of its tenant by what its age makes up for, only. */
  @Property(tries = 300)
  void withinATenantNobodyGoesBeforeSomebodyOfHigherEffectivePriority(@ForAll long seed) {
    Random random = new Random(seed);
    FairQueue<SlotRequest> queue = queue(NEVER_STRICT);
    List<SlotRequest> waiting = new ArrayList<>();
    for (int turn = 0; turn < 60; turn++) {
      Instant now = Requests.at(turn * 7L);
      for (int i = random.nextInt(3); i > 0; i--) {
        SlotRequest one = Requests.of("acme", turn + "-" + i, random.nextInt(101), now);
        waiting.add(one);
        queue.add(one);
      }
      serve(queue)
          .ifPresent(next -> {
            waiting.remove(next);
            double taken = AGING.effective(next, now);
            assertThat(waiting)
                .allSatisfy(one -> assertThat(AGING.effective(one, now)).isLessThan(taken + 0.01));
          });
    }
  }

  /** No slot stays empty while an agent fits, except one kept for the agent of a strict turn. */
  @Property(tries = 200)
  void noSlotStaysEmptyWhileAnAgentFits(@ForAll long seed) {
    Random random = new Random(seed);
    FairQueue<SlotRequest> queue = queue(NEVER_STRICT);
    List<SlotRequest> waiting = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      SlotRequest one =
          Requests.of("t" + random.nextInt(4), "a" + i, 50, random.nextInt(20), Requests.at(i));
      waiting.add(one);
      queue.add(one);
    }
    while (!waiting.isEmpty()) {
      long room = random.nextInt(20);
      Optional<SlotRequest> next = queue.next(one -> one.tokens() <= room, tenant -> 0);
      assertThat(next.isPresent())
          .isEqualTo(waiting.stream().anyMatch(one -> one.tokens() <= room));
      next.ifPresent(waiting::remove);
    }
  }

  private static SlotRequest any(Random random, String name, Instant since) {
    return Requests.of("t" + random.nextInt(5), name, random.nextInt(101), since);
  }
}
