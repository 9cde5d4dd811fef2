package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentResources;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.core.capacity.CapacityUse.ResourceExhausted;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.replicas.PromptBlocks;
import dev.colony.node.NodeBounds;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.schedule.Ask;
import dev.colony.vcm.schedule.PrefillSpeed;
import dev.colony.vcm.schedule.lease.Lease;
import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.schedule.lease.Report;
import dev.colony.vcm.table.GroupAssignment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a node's agents may do by their leases, and what the authority is told of them. */
class NodeLeasesTest {

  private static final AgentId AGENT = new AgentId("t", "c", "a");
  private static final String KEY = AGENT.persistenceId();
  private static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("test.any"));

  private static final PageGroupId GROUP = new PageGroupId("g".repeat(26));

  private static final PrefillSpeed SPEED = new PrefillSpeed(5_000, 50_000);

  private final AtomicLong clock = new AtomicLong();
  private final List<String> said = new ArrayList<>();
  private Set<String> excluded = Set.of();
  private List<PromptCaches.Cache> replicas =
      List.of(new PromptCaches.Cache("r", "", 100, "", SPEED));
  private final NodeBounds.Leases bounds = NodeBounds.USUAL.leases();
  private final Map<PageGroupId, GroupAssignment> groups = new HashMap<>();
  private final NodeLeases leases =
      new NodeLeases(
          "node#1",
          Duration.ofMinutes(15),
          bounds,
          new Caches(),
          group -> Optional.ofNullable(groups.get(group)),
          clock::get);

  private final class Caches implements PromptCaches {

    @Override
    public List<Cache> caches() {
      return replicas;
    }

    @Override
    public double blockTokens() {
      return 16;
    }

    @Override
    public Ask ask(InferenceRequest request) {
      return PromptBlocks.of(request, 64).ask(request, Set.of());
    }

    @Override
    public Set<String> excluded(ModelChoice choice) {
      return excluded;
    }
  }

  private final NodeLeases.Waiter waiter =
      new NodeLeases.Waiter() {
        @Override
        public void granted() {
          said.add("granted");
        }

        @Override
        public void sentAway(ResourceExhausted why) {
          said.add("sent away");
        }
      };

  private boolean begins() {
    return leases.begins(AGENT, 1, BLUEPRINT, Duration.ZERO, waiter);
  }

  private static InferenceRequest request(String text) {
    return InferenceRequest.of(
        "call",
        Prompt.of(text, List.of(), "?"),
        ReplyForm.text(4),
        CallContext.within(Duration.ofSeconds(1)));
  }

  private Report.Status told() {
    return leases.reports().getLast().status();
  }

  /** It has called a model without a lease, and asks for one now. */
  private Report.Asking asks() {
    assertThat(begins()).isTrue();
    assertThat(leases.calls(AGENT, request("x".repeat(640)))).isEmpty();
    leases.called(AGENT);
    assertThat(begins()).isFalse();
    return (Report.Asking) told();
  }

  private void granted(Report.Asking asking) {
    leases.hear(
        List.of(
            new LeaseOrder.Granted(
                "node#1", new Lease(KEY, "r", 7), asking.ask(), clock.get() / 1e9)));
  }

  @Test
  void anAgentWhosePromptsAreNotKnownNeedsNone() {
    assertThat(begins()).isTrue();
    assertThat(leases.reports()).isEmpty();
  }

  @Test
  void oneThatIsBoundToPagesAsksForThoseBeforeItsFirstCall() {
    AgentBlueprint bound = BLUEPRINT.pages(GROUP);
    assertThat(leases.begins(AGENT, 1, bound, Duration.ZERO, waiter))
        .as("while its pages are not known")
        .isTrue();
    groups.put(GROUP, new GroupAssignment(GROUP, 0, List.of(page("p"), page("q")), 640));
    assertThat(leases.begins(AGENT, 1, bound, Duration.ZERO, waiter)).isFalse();
    long[] own = ((Report.Asking) told()).prompt().blocks();
    assertThat(own).hasSize(40).doesNotHaveDuplicates();

    // Another one that expects more than the pages has their blocks in common with it.
    AgentId other = new AgentId("t", "c", "b");
    AgentBlueprint more = bound.resources(new AgentResources(50, 800, 1));
    assertThat(leases.begins(other, 1, more, Duration.ZERO, waiter)).isFalse();
    long[] others = ((Report.Asking) told()).prompt().blocks();
    assertThat(others).hasSize(50).startsWith(own).doesNotHaveDuplicates();
  }

  @Test
  void oneThatIsBoundToPagesAsksForAPlaceOnItsOwnNode() {
    groups.put(GROUP, new GroupAssignment(GROUP, 0, List.of(page("p")), 640));
    AgentBlueprint bound = BLUEPRINT.pages(GROUP);
    replicas =
        List.of(
            new PromptCaches.Cache("r", "", 100, "other", SPEED),
            new PromptCaches.Cache("s", "", 100, "node", SPEED));
    assertThat(leases.begins(AGENT, 1, bound, Duration.ZERO, waiter)).isFalse();
    assertThat(((Report.Asking) told()).prompt().excluded()).containsExactly("r");
  }

  private static PageId page(String name) {
    return new PageId(name.repeat(26));
  }

  @Test
  void oneWhoseModelHasACacheOfUnknownSizeNeedsNone() {
    asks();
    assertThat(begins()).isFalse();
    replicas = List.of(replicas.getFirst(), new PromptCaches.Cache("s", "", 0, "", SPEED));
    assertThat(begins()).as("there may be room").isTrue();
    assertThat(leases.caches()).extracting(PromptCaches.Cache::replica).containsExactly("r");
    excluded = Set.of("s");
    assertThat(begins()).as("it is of another model").isFalse();
  }

  @Test
  void eachPointOfPriorityAboveTheUsualOneIsAPartOfTheBound() {
    AgentBlueprint urgent = BLUEPRINT.resources(new AgentResources(75, 800, 1));
    assertThat(leases.begins(AGENT, 1, urgent, Duration.ofSeconds(3), waiter)).isFalse();
    assertThat(((Report.Asking) told()).waitedSeconds()).isEqualTo(453);
  }

  @Test
  void oneWhoseModelIsAnsweredByAnotherGivesItsLeaseBackAndAsksForOneThere() {
    replicas = List.of(replicas.getFirst(), new PromptCaches.Cache("s", "small", 100, "", SPEED));
    granted(asks());
    leases.rests(AGENT, new NextUse.Unknown());
    assertThat(begins()).isTrue();
    leases.rests(AGENT, new NextUse.Unknown());
    excluded = Set.of("r");
    assertThat(begins()).isFalse();
    assertThat(((Report.Asking) told()).prompt().excluded()).containsExactly("r");
  }

  @Test
  void oneThatHasCalledAsksForThePromptThatItHad() {
    Report.Asking asking = asks();
    assertThat(asking.prompt().blocks()).hasSize(11);
    granted(asking);
    assertThat(said).containsExactly("granted");
    assertThat(begins()).isTrue();
    assertThat(leases.calls(AGENT, request("x".repeat(704)))).hasValue("r");
    assertThat(told())
        .isInstanceOfSatisfying(
            Report.Running.class,
            running -> assertThat(running.prompt().orElseThrow().blocks()).hasSize(12));
    leases.called(AGENT);
    assertThat(told()).isInstanceOf(Report.Idle.class);
  }

  @Test
  void whereNoReplicaIsThereItGoesOnWithout() {
    replicas = List.of();
    assertThat(begins()).isTrue();
    leases.calls(AGENT, request("x".repeat(640)));
    leases.called(AGENT);
    assertThat(begins()).isTrue();
  }

  @Test
  void oneThatWaitsForLongIsSentAwayAndTheAuthorityIsToWakeIt() {
    Report.Asking asking = asks();
    clock.addAndGet(bounds.patience().toNanos());
    leases.tick();
    assertThat(said).as("before the authority has answered").isEmpty();
    leases.hear(
        List.of(new LeaseOrder.Held("node#1", KEY, asking.ask(), LeaseOrder.Reason.NO_ROOM)));
    leases.tick();
    assertThat(said).containsExactly("sent away");
    assertThat(((Report.Asking) told()).parked()).isTrue();
    assertThat(leases.reports()).isEmpty();
  }

  @Test
  void anActionThatBeginsDeclaresHowLongSuchHaveTaken() {
    granted(asks());
    leases.acted("Tool.slow", Duration.ofSeconds(40));
    leases.calls(AGENT, request("y"));
    leases.called(AGENT);
    leases.acts(AGENT, "Tool.slow");
    assertThat(((Report.Idle) told()).returnsIn()).hasValue(40);
  }

  @Test
  void theCallsThatAreStillToComeAreDeclaredUntilTheRunEnds() {
    granted(asks());
    leases.expects(AGENT, 3);
    leases.calls(AGENT, request("y"));
    leases.called(AGENT);
    assertThat(((Report.Idle) told()).remainingTurns()).hasValue(3);
    leases.expects(AGENT, 2);
    leases.acts(AGENT, "Tool.any");
    assertThat(((Report.Idle) told()).remainingTurns()).hasValue(2);
    leases.rests(AGENT, new NextUse.Never());
    leases.reports();
    assertThat(begins()).isFalse();
    granted((Report.Asking) told());
    leases.rests(AGENT, new NextUse.Unknown());
    assertThat(((Report.Idle) told()).remainingTurns()).as("of another run").isEmpty();
  }

  @Test
  void aRecalledLeaseIsGivenBackWhenTheCallHasEnded() {
    granted(asks());
    leases.calls(AGENT, request("y"));
    leases.hear(List.of(new LeaseOrder.Recalled("node#1", new Lease(KEY, "r", 7), 1)));
    assertThat(told()).isInstanceOf(Report.Running.class);
    leases.called(AGENT);
    assertThat(told()).isEqualTo(new Report.Released(false));
    assertThat(begins()).isFalse();
  }

  @Test
  void aWaitUntilATimeIsDeclaredAndTheEndOfTheRunEndsTheLease() {
    granted(asks());
    leases.rests(AGENT, new NextUse.In(Duration.ofMinutes(5)));
    assertThat(((Report.Idle) told()).returnsIn()).hasValue(300);
    leases.rests(AGENT, new NextUse.Never());
    assertThat(told()).isEqualTo(new Report.Released(true));
  }

  @Test
  void aLeaseThatIsNotRenewedRunsOut() {
    granted(asks());
    leases.called(AGENT);
    clock.addAndGet(Duration.ofSeconds(4).toNanos());
    assertThat(leases.calls(AGENT, request("y"))).isEmpty();
  }
}
