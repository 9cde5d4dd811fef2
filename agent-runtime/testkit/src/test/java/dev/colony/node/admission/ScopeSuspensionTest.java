package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.agent.client.ScopeSuspensions.ScopeSuspension;
import dev.colony.blackboard.Scope;
import dev.colony.client.directory.BlackboardSuspensions;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.testkit.Expectation;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestColony;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tenants, colonies and trees of agents that are suspended as a whole. */
class ScopeSuspensionTest {

  private static final AgentBlueprint ASKER = AgentBlueprint.of(MinimalActionPolicy.class);
  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(1));
  private static final Scope TENANT = Scope.tenant(TestColony.NAME);
  private static final Scope COLONY = Scope.colony(TestColony.NAME, TestColony.NAME);

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void close() {
    model.close();
  }

  private static RunHandle ask(AgentHandle agent) {
    return agent.run(Map.of("goals", "answer"), OPTIONS);
  }

  private static AgentStatus status(AgentHandle agent) {
    return agent.state().join().orElseThrow();
  }

  /** What is suspended counts after two seconds at most; runs of before then end. */
  private static void askUntilSuspended(AgentHandle agent, List<RunHandle> asked, String why) {
    await()
        .until(() -> {
          asked.add(ask(agent));
          return status(agent).state() == AgentState.SUSPENDED;
        });
    assertThat(status(agent).reason()).contains(why);
  }

  private static void awaitSuspended(AgentHandle agent, String why) {
    await().until(() -> status(agent).state() == AgentState.SUSPENDED);
    assertThat(status(agent).reason()).contains(why);
  }

  @Test
  void aSuspendedTenantMakesNoModelCallUntilItIsLetGo() {
    Expectation held = model.expect().held().complete("never read");
    model.expect().anyTimes().complete("done");
    try (TestColony colony = TestColony.inMemory().model(model).start()) {
      AgentHandle early = colony.spawn("early", ASKER);
      RunHandle run = ask(early);
      held.await();
      colony.colony().suspensions().suspend(TENANT, "too dear").join();
      String why = "tenant test is suspended: too dear";
      awaitSuspended(early, why);
      assertThat(model.count()).isEqualTo(1);

      AgentHandle late = colony.spawn("late", ASKER);
      RunHandle later = ask(late);
      awaitSuspended(late, why);
      colony.crash();
      AgentHandle last = colony.spawn("last", ASKER);
      RunHandle latest = ask(last);
      awaitSuspended(last, why);
      assertThat(model.count()).isEqualTo(1);

      colony.colony().suspensions().resume(TENANT).join();
      for (RunHandle one : List.of(run, later, latest)) {
        assertThat(one.join().output().asText()).isEqualTo("done");
      }
      assertThat(colony.colony().suspensions().list(TestColony.NAME).join()).isEmpty();
    }
  }

  @Test
  void ofAColonyOrATreeOthersGoOn() {
    model.expect().anyTimes().complete("done");
    try (TestColony colony = TestColony.inMemory().model(model).start()) {
      AgentHandle top = colony.spawn("top", ASKER);
      AgentHandle other = colony.spawn("other", ASKER);
      enterChild(colony, top.id(), "child");
      enterChild(colony, new AgentId(TestColony.NAME, TestColony.NAME, "child"), "grandchild");
      AgentHandle grandchild =
          colony.colony().agent(new AgentId(TestColony.NAME, TestColony.NAME, "grandchild"));
      ScopeSuspensions suspensions = colony.colony().suspensions();
      suspensions.suspend(top.id().scope(), "").join();
      List<RunHandle> asked = new ArrayList<>();
      askUntilSuspended(grandchild, asked, "the tree of agents of test/test/top is suspended");
      assertThat(ask(other).join().status()).isEqualTo(AgentRun.Status.COMPLETED);

      suspensions.suspend(COLONY, "all").join();
      suspensions.resume(top.id().scope()).join();
      askUntilSuspended(other, asked, "colony test/test is suspended: all");
      AgentHandle elsewhere =
          colony.colony().spawn(new AgentId(TestColony.NAME, "else", "one"), ASKER).join();
      assertThat(ask(elsewhere).join().status()).isEqualTo(AgentRun.Status.COMPLETED);
      suspensions.resume(COLONY).join();
      asked.forEach(one -> assertThat(one.join().output().asText()).isEqualTo("done"));
    }
  }

  private static void enterChild(TestColony colony, AgentId parent, String name) {
    new ChildRegistry(
            colony.blackboards(), HomeResolver.byHash(8), new ChildrenSettings(10, 10, 100))
        .enter(parent, Map.of(name, ASKER), Children.OnParentStop.STOP)
        .toCompletableFuture()
        .join();
  }

  @Test
  void whatIsSuspendedIsListedAndBounded() {
    try (TestColony colony = TestColony.inMemory().start()) {
      ScopeSuspensions all = colony.colony().suspensions();
      Scope tree = Scope.agent(TestColony.NAME, TestColony.NAME, "a");
      all.suspend(tree, "").join();
      all.suspend(TENANT, "first\nline").join();
      all.suspend(TENANT, "second").join();
      all.suspend(Scope.tenant("acme"), "").join();
      assertThat(all.list(TestColony.NAME).join())
          .extracting(ScopeSuspension::words)
          .containsExactly(
              "tenant test is suspended: first line",
              "the tree of agents of test/test/a is suspended");
      all.resume(TENANT).join();
      all.resume(TENANT).join();
      assertThat(all.list(TestColony.NAME).join())
          .extracting(ScopeSuspension::scope)
          .containsExactly(tree);
      assertThatThrownBy(() -> all.suspend(COLONY.namespace("n"), ""))
          .isInstanceOf(IllegalArgumentException.class);
      List<ScopeSuspension> before =
          new BlackboardSuspensions(colony.blackboards()).all().toCompletableFuture().join();
      for (int i = before.size(); i < ScopeSuspensions.MOST; i++) {
        all.suspend(Scope.tenant("t" + i), "").join();
      }
      assertThat(all.suspend(TENANT, ""))
          .failsWithin(Duration.ofSeconds(10))
          .withThrowableThat()
          .withCauseInstanceOf(AgentException.class)
          .withMessageContaining("1000 scopes are suspended, as many as may be");
    }
  }
}
