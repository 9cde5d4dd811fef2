package dev.colony.library.planning;

import static dev.colony.library.planning.PageShelf.P;
import static dev.colony.library.planning.PageShelf.Q;
import static dev.colony.library.planning.PageShelf.action;
import static dev.colony.library.planning.PageShelf.plan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.library.page.PagePins;
import dev.colony.library.page.PageSettings;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pages that agents ask to have kept in caches. */
class PagePinsTest {

  private final FakeModel model = FakeModel.start();
  private final PageShelf shelf = new PageShelf();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(PlanArgs args) {
    return shelf.agent(model, args);
  }

  private static PagePins pins(TestAgent agent) {
    Scope leases = Scope.colony("test", "test").namespace(PagePins.NAMESPACE);
    return new PagePins(agent.blackboard(leases), PageSettings.DEFAULTS);
  }

  @Test
  void pinnedPagesAreLeasesThatEndWithTheRun() throws InterruptedException {
    ObjectNode pin = action("p", "page_pin", Map.of());
    pin.withObject("/parameters")
        .put("seconds", 60)
        .putArray("pages")
        .add(P.value())
        .add(Q.value());
    ObjectNode release = action("r", "page_release", Map.of());
    release.withObject("/parameters").putArray("pages").add(Q.value());
    release.putArray("after").add("p");
    ObjectNode sign = action("s", "reader.sign", Map.of());
    sign.putArray("after").add("r");
    model
        .expect("Plan how your goals are reached.", "`page_pin`", "`page_release`")
        .calls("plan", plan(pin, release, sign).put("result", "$results.p.pins.0.page"));
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      RunId run = agent.ask("Pin");
      agent.settle();
      assertThat(pins(agent).all())
          .singleElement()
          .satisfies(one -> {
            assertThat(one.agent()).isEqualTo("agent");
            assertThat(one.pins()).extracting(PagePins.Pin::page).containsExactly(P.value());
          });
      agent.crash();
      agent.handle().approve(PlanScript.request(agent, "s"), "eve", "").join();
      agent.settle();
      assertThat(agent.result(run).map(AgentRun::output).map(JsonNode::asText)).contains(P.value());
      assertThat(pins(agent).all()).as("released at the end of the run").isEmpty();
    }
  }

  @Test
  void aPinEndsByItselfAndIsBounded() throws InterruptedException {
    ObjectNode pin = action("p", "page_pin", Map.of());
    pin.withObject("/parameters").put("seconds", 60).putArray("pages").add(P.value());
    ObjectNode longer = action("l", "page_pin", Map.of());
    longer.withObject("/parameters").put("seconds", 7200).putArray("pages").add(Q.value());
    ObjectNode other = action("o", "page_pin", Map.of());
    other.withObject("/parameters").putArray("pages").add("x".repeat(26));
    model
        .expect("Plan how your goals are reached.")
        .calls("plan", plan(pin, longer, other, action("s", "reader.sign", Map.of())));
    model
        .expect(
            "failed: `l` failed: a page is pinned for 3600 seconds at most, not 7200",
            "failed: `o` failed",
            "is none of this agent's")
        .calls("go_on", Map.of());
    try (TestAgent agent = agent(PlanArgs.NONE)) {
      agent.ask("Pin");
      agent.settle();
      assertThat(pins(agent).all()).hasSize(1);
      agent.advance(Duration.ofSeconds(61));
      assertThat(pins(agent).all()).isEmpty();
    }
  }

  @Test
  void noMorePagesArePinnedThanTheSettingsAllow() throws InterruptedException {
    InMemoryBlackboards boards = new InMemoryBlackboards();
    Scope leases = Scope.colony("test", "test").namespace(PagePins.NAMESPACE);
    PagePins two =
        new PagePins(
            boards.open(leases, "test"), new PageSettings(10, 10, 2, Duration.ofMinutes(1)));
    two.pin("a", Set.of("p", "q"), Duration.ofMinutes(1));
    two.pin("a", Set.of("q"), Duration.ofMinutes(1));
    assertThatThrownBy(() -> two.pin("a", Set.of("r"), Duration.ofMinutes(1)))
        .hasMessage("3 pages would be pinned, but colony.agent.page.pins is 2: release some");
    two.pin("b", Set.of("r"), Duration.ofMinutes(1));
    assertThat(two.all()).hasSize(2);
    boards.close();
  }
}
