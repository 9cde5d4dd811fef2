package dev.colony.core.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.core.capacity.Preemption.Aging;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.core.capacity.SlotScheduler.SlotRequest.AdmittedAgent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PreemptionTest {

  private static final Preemption RULE =
      new Preemption(new Aging(10), 20, Duration.ofSeconds(10), Duration.ofSeconds(30));

  private static AdmittedAgent working(String name, int priority, Instant since) {
    return new AdmittedAgent(Requests.of("acme", name, priority, since), since);
  }

  @Test
  void theOneOfTheLowestPriorityGivesWayToOneThatIsHigherByTheMargin() {
    List<AdmittedAgent> atWork =
        List.of(working("b", 60, Requests.at(0)), working("a", 50, Requests.at(0)));
    Instant now = Requests.at(110);
    assertThat(RULE.givesWay(Requests.of("acme", "x", 69, Requests.at(100)), atWork, now))
        .map(one -> one.request().agent().name())
        .contains("a");
    assertThat(RULE.givesWay(Requests.of("acme", "x", 68, Requests.at(100)), atWork, now))
        .isEmpty();
  }

  @Test
  void nobodyGivesWayBeforeTheOtherHasWaitedAndItHasHadItsTurn() {
    SlotRequest urgent = Requests.of("acme", "x", 100, Requests.at(100));
    AdmittedAgent low = working("low", 0, Requests.at(81));
    assertThat(RULE.givesWay(urgent, List.of(low), Requests.at(109))).isEmpty();
    assertThat(RULE.givesWay(urgent, List.of(low), Requests.at(110))).isEmpty();
    assertThat(RULE.givesWay(urgent, List.of(low), Requests.at(111))).contains(low);
  }

  @Test
  void aServiceNeverGivesWay() {
    SlotRequest service =
        new SlotRequest(
            Requests.of("acme", "s", 0, Requests.START).agent(),
            AgentKind.SERVICE,
            0,
            0,
            Requests.START);
    assertThat(
            RULE.givesWay(
                Requests.of("acme", "x", 100, Requests.START),
                List.of(new AdmittedAgent(service, Requests.START)),
                Requests.at(600)))
        .isEmpty();
  }

  /** Two agents that never end share one place in turns that grow, and both come to work. */
  @Property(tries = 200)
  void twoDoNotPushEachOtherOutAgainAndAgain(
      @ForAll @IntRange(max = 100) int first, @ForAll @IntRange(max = 100) int second) {
    AdmittedAgent atWork = working("first", first, Requests.at(0));
    SlotRequest waiting = Requests.of("acme", "second", second, Requests.at(0));
    List<Long> exchanges = new ArrayList<>();
    for (long second1 = 1; second1 < 4 * 3600; second1++) {
      Instant now = Requests.at(second1);
      if (RULE.givesWay(waiting, List.of(atWork), now).isPresent()) {
        SlotRequest out = atWork.request();
        atWork = new AdmittedAgent(waiting, now);
        waiting = Requests.of("acme", out.agent().name(), out.priority(), now);
        exchanges.add(second1);
      }
    }
    assertThat(exchanges).as("both come to work").isNotEmpty();
    for (int i = 1; i < exchanges.size(); i++) {
      assertThat(exchanges.get(i) - exchanges.get(i - 1)).isGreaterThanOrEqualTo(30);
    }
    assertThat(exchanges.size()).as("exchanges in four hours").isLessThan(60);
  }
}
