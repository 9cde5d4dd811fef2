package dev.colony.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.StepView;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.library.capability.HttpService;
import dev.colony.library.capability.HttpToolCapability;
import dev.colony.library.capability.HttpToolCapability.Args;
import dev.colony.library.capability.OutputCapability;
import dev.colony.library.context.MemoryCapability;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that run by themselves within a test's JVM. */
class TestColonyTest {

  private static final AgentBlueprint ASKER = AgentBlueprint.of(MinimalActionPolicy.class);
  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(1));

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void close() {
    model.close();
  }

  private static RunHandle ask(TestColony colony) {
    return colony.spawn("asker", ASKER).run(Map.of("goals", "answer"), OPTIONS);
  }

  @Test
  void whatANodeHadUnderWayGoesOnWhenItHasCrashed() {
    Expectation held = model.expect().held().answer("never read");
    model.expect().complete("done");
    try (TestColony colony = TestColony.inMemory().model(model).start()) {
      RunHandle run = ask(colony);
      held.await();
      colony.crash();
      assertThat(run.join().output().asText()).isEqualTo("done");
    }
  }

  @Test
  void aNodeDiesWhereTheTestSaysAndTheNextGoesOn() {
    model.expect().anyTimes().complete("done");
    KillPoint point = KillPoint.at(3, KillPoint.Side.AFTER);
    try (TestColony colony = TestColony.inMemory().model(model).killed(point).start()) {
      assertThat(ask(colony).join().output().asText()).isEqualTo("done");
      assertThat(point.struck()).isTrue();
    }
    assertThatThrownBy(() -> TestColony.onRedis("redis://127.0.0.1:1").killed(point))
        .isInstanceOf(IllegalStateException.class);
  }

  /** Each method that a handle has, so that a new one is looked at here. */
  @Test
  void aHandleInMemoryDoesWhatOneOnANodeDoes() {
    AgentBlueprint clerk = ASKER.capability(MemoryCapability.bind().approve("memory_write"));
    model.expect("note the ferry").act("memory_write", Map.of("text", "the ferry leaves at nine"));
    model.expect("note the ferry", "the ferry leaves at nine").complete("noted");
    model.expect("note the tide").act("memory_write", Map.of("text", "high tide at ten"));
    model.expect("note the tide", "high tide at ten").complete("not noted");
    Expectation held = model.expect("wait").held().complete("never");
    model.expect("stream").anyTimes().complete("streamed");
    try (TestColony colony = TestColony.inMemory().model(model).start()) {
      AgentHandle agent = colony.spawn("clerk", clerk);
      assertThat(agent.id().name()).isEqualTo("clerk");

      RunHandle run = agent.run(Map.of("goals", "note the ferry"), OPTIONS);
      PendingApproval asked = pending(agent);
      assertThat(asked.reason()).contains("memory_write", "the ferry leaves at nine");
      assertThat(agent.ended(run.runId(), OPTIONS).join()).isEmpty();
      agent.approve(asked.request(), "lead", "go ahead").join();
      assertThat(run.join().output().asText()).isEqualTo("noted");
      assertThat(agent.pending().join()).isEmpty();
      assertThat(agent.attach(run.runId(), OPTIONS).join().output().asText()).isEqualTo("noted");
      assertThat(agent.ended(run.runId(), OPTIONS).join()).isPresent();

      RunHandle other = agent.run(Map.of("goals", "note the tide"), OPTIONS);
      agent.deny(pending(agent).request(), "lead", "not this one").join();
      assertThat(other.join().output().asText()).isEqualTo("not noted");

      HistoryPage history = agent.history(Optional.empty(), 100).join();
      assertThat(history.entries())
          .extracting(HistoryEntry::run)
          .contains(Optional.of(run.runId()), Optional.of(other.runId()));
      long last = history.entries().getLast().sequenceNr();
      assertThat(agent.at(last).join()).isInstanceOf(StateAt.Known.class);
      assertThat(agent.at(100_000).join()).isInstanceOf(StateAt.NotYet.class);
      assertThat(agent.fork(last, "second").join()).isInstanceOf(ForkReply.Forked.class);
      AgentHandle second =
          colony.colony().agent(new AgentId(TestColony.NAME, TestColony.NAME, "second"));
      await().until(() -> second.state().join().isPresent());

      RunHandle cancelled = agent.run(Map.of("goals", "wait"), OPTIONS);
      held.await();
      agent.cancel(cancelled.runId(), OPTIONS, "enough").join();
      assertThat(cancelled.join().status()).isEqualTo(AgentRun.Status.CANCELLED);

      agent.suspend("a pause").join();
      await().until(() -> state(agent) == AgentState.SUSPENDED);
      agent.resume("on").join();
      await().until(() -> state(agent) != AgentState.SUSPENDED);
      agent.suspend("until the tide", new ResumptionCondition.Custom("tide")).join();
      await().until(() -> state(agent) == AgentState.SUSPENDED);
      agent.signal("tide", "it is high").join();
      await().until(() -> state(agent) != AgentState.SUSPENDED);
      agent.revise(BlueprintChange.adding(OutputCapability.bind()), "room").join();
      await()
          .until(() ->
              agent.history(Optional.empty(), 100).join().entries().toString().contains("room"));

      CompletableFuture<List<RunProgress>> events = new CompletableFuture<>();
      agent.runStreamed(Map.of("goals", "stream"), OPTIONS).subscribe(new Collected(events));
      assertThat(events.join().getLast().toString()).contains("streamed");
      assertThat(agent.ask("stream it")).isEqualTo("streamed");
      assertThat(agent.run("stream it").output().asText()).isEqualTo("streamed");
      try (Stream<RunProgress> told = agent.stream("stream it")) {
        assertThat(told.toList().toString()).contains("streamed");
      }
      RunHandle rewound = agent.run(Map.of("goals", "stream"), OPTIONS);
      assertThat(rewound.join().output().asText()).isEqualTo("streamed");
      assertThat(agent.rewind(rewound.runId(), 0, "once more").join()).isEqualTo(2);
      assertThat(agent.attach(rewound.runId(), OPTIONS).join().output().asText())
          .isEqualTo("streamed");
      agent.stop("over").join();
      await().until(() -> state(agent) == AgentState.STOPPED);
    }
    assertThat(AgentHandle.class.getDeclaredMethods())
        .extracting(Method::getName)
        .filteredOn(name -> !name.contains("$"))
        .containsExactlyInAnyOrder(
            "id",
            "ask",
            "ask",
            "asked",
            "run",
            "run",
            "stream",
            "runStreamed",
            "attach",
            "ended",
            "cancel",
            "stop",
            "suspend",
            "suspend",
            "signal",
            "approve",
            "deny",
            "pending",
            "revise",
            "resume",
            "state",
            "history",
            "at",
            "fork",
            "rewind");
  }

  private static PendingApproval pending(AgentHandle agent) {
    await().until(() -> !agent.pending().join().isEmpty());
    return agent.pending().join().getFirst();
  }

  private static AgentState state(AgentHandle agent) {
    return agent.state().join().orElseThrow().state();
  }

  /** All that a publisher gives. */
  private static final class Collected implements Flow.Subscriber<RunProgress> {

    private final List<RunProgress> all = new ArrayList<>();
    private final CompletableFuture<List<RunProgress>> done;

    Collected(CompletableFuture<List<RunProgress>> done) {
      this.done = done;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(RunProgress event) {
      all.add(event);
    }

    @Override
    public void onError(Throwable failure) {
      done.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      done.complete(all);
    }
  }

  @Test
  void onARedisServerOfItsOwnHistoryIsThere() {
    model.expect().complete("done");
    try (TestColony colony = TestColony.onRedis().model(model).start()) {
      AgentRun run = ask(colony).join();
      assertThat(run.output().asText()).isEqualTo("done");
      AgentHandle asker = colony.spawn("asker", ASKER);
      assertThat(asker.history(Optional.empty(), 100).join().entries())
          .extracting(HistoryEntry::run)
          .contains(Optional.of(run.runId()));
    }
  }

  @Test
  void withoutAModelCallsFailInALineThatSaysWhatToDo() {
    try (TestColony colony = TestColony.inMemory().start()) {
      assertThat(ask(colony).join().error().orElseThrow())
          .contains("give the test one by Builder.model");
    }
  }

  /**
   * As on a node: what the blueprint allows, and of addresses of the machine what the node lists.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void agentsReachAServerOfTheTestWhereTheNodeListsItsHost(boolean listed) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/v1/item",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, 3);
            exchange.getResponseBody().write("bow".getBytes(StandardCharsets.UTF_8));
          }
        });
    server.start();
    String origin = "http://127.0.0.1:" + server.getAddress().getPort();
    AgentBlueprint reader =
        AgentBlueprint.of(
                ScriptedActionPolicy.class,
                Script.of(
                    ScriptedRule.first().act("tool_use", "url", origin + "/v1/item"),
                    ScriptedRule.otherwise().complete("over")))
            .capability(
                HttpToolCapability.class, Args.allowing(HttpService.reading(origin, "items")));
    String settings = listed ? "colony.agent.http.private-hosts = [\"127.0.0.1\"]" : "";
    try (TestColony colony = TestColony.onRedis().settings(settings).start()) {
      AgentHandle agent = colony.spawn("reader", reader);
      AgentRun run = agent.run(Map.of(), OPTIONS).join();
      assertThat(run.error()).isEmpty();
      ActionView read =
          agent.history(Optional.empty(), 100).join().entries().stream()
              .filter(StepView.class::isInstance)
              .flatMap(one -> ((StepView) one).actions().stream())
              .findFirst()
              .orElseThrow();
      assertThat(read.success()).isEqualTo(listed);
      if (listed) {
        assertThat(read.output().path("body").asText()).isEqualTo("bow");
      } else {
        assertThat(read.error().orElseThrow()).contains("private-hosts does not list it");
      }
    } finally {
      server.stop(0);
    }
  }
}
