package dev.colony.client.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.author.Agent.WhileWaiting;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Children.Child;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.Session.SessionTotals;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.session.BlackboardRunRecorder.SessionSettings;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The examples of docs/guides/handles.md. */
class SessionsGuideTest {

  private static final AgentId AGENT = new AgentId("acme", "billing", "reviewer");
  private static final AgentBlueprint ANALYST = AgentBlueprint.of(Blueprint.of("test.analyst"));

  private final Blackboards boards = new InMemoryBlackboards();
  private final ClientSettings client = Settings.read(ClientSettings.class, ConfigFactory.load());
  private final Colony colony = new BlackboardColony(boards, HomeResolver.byHash(1), client);

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns("guides/handles.md#Sessions and children", SessionsGuideTest.class);
  }

  @Test
  void runsOfASessionAreCounted() {
    SessionTotals totals = review(colony, JsonNodeFactory.instance.textNode("check it"));
    assertThat(totals.runs()).isEqualTo(1);
    assertThat(totals.underWay()).isEqualTo(1);
    assertThat(colony.sessions("acme", "billing").get(new SessionId("review-42")))
        .succeedsWithin(Duration.ofSeconds(20))
        .matches(found -> found.orElseThrow().state() == Session.State.CLOSED);
  }

  private static SessionTotals review(Colony colony, JsonNode input) {
    // guide: session
    Sessions sessions = colony.sessions("acme", "billing");
    SessionId review = new SessionId("review-42");
    sessions.open(review, "lead").join();

    AgentHandle reviewer = colony.agent(new AgentId("acme", "billing", "reviewer"));
    RunHandle run = reviewer.run(input, RunOptions.namespace("compliance").session(review));
    run.stored().join();

    sessions
        .runs(review, Optional.of(SessionRun.Status.RUNNING), Sessions.PAGE, Optional.empty())
        .thenAccept(page -> page.items().forEach(one -> System.out.println(one.runId())))
        .join();

    Session closed = sessions.close(review, "lead", "it is late").join();
    return closed.totals();
    // guide end
  }

  @Test
  void childrenAreSpawnedAwaitedAndListed() throws Exception {
    ChildrenSettings settings = Settings.read(ChildrenSettings.class, ConfigFactory.load());
    ChildService families =
        new ChildService(
            boards, new ChildRegistry(boards, HomeResolver.byHash(1), settings), colony);
    colony.spawn(AGENT, ANALYST).toCompletableFuture().join();
    Children children =
        families.of(
            AGENT, () -> ExecutionContext.of(AGENT, new RunId("r1")), () -> WhileWaiting.NOTHING);
    for (String name : List.of("reviewer.auth", "reviewer.billing")) {
      Thread.startVirtualThread(() -> {
        AgentId child = new AgentId("acme", "billing", name);
        await().until(() -> colony.agent(child).state().toCompletableFuture().join().isPresent());
        families.announce(child, AgentState.STOPPED, Optional.empty());
      });
    }
    assertThat(delegate(children, ANALYST)).hasSize(2);
  }

  private static List<Child> delegate(Children children, AgentBlueprint analyst)
      throws InterruptedException {
    // guide: children
    List<AgentHandle> analysts =
        children.spawnAll(
            Map.of("reviewer.auth", analyst, "reviewer.billing", analyst), OnParentStop.STOP);

    return children.await(
        Set.of(analysts.get(0).id(), analysts.get(1).id()), Duration.ofMinutes(5));
    // guide end
  }

  /** What the page says of refusals. */
  @Test
  void aClosedSessionSaysWhy() {
    review(colony, JsonNodeFactory.instance.nullNode());
    RunRequest late =
        new RunRequest(
            ExecutionContext.of(AGENT, new RunId("late")).session(new SessionId("review-42")),
            "compliance",
            JsonNodeFactory.instance.nullNode(),
            "lead",
            InstantSource.system().instant());
    RunRecorder recorder =
        new BlackboardRunRecorder(
            boards,
            new SessionSettings(Duration.ofDays(1), Duration.ofDays(1)),
            InstantSource.system());
    assertThat(recorder.admit(AGENT, late))
        .succeedsWithin(Duration.ofSeconds(20))
        .isEqualTo(Optional.of("session review-42 is closed: it is late"));
    AgentRun refused = AgentRun.failed(new RunId("late"), "refused", RunStats.NONE);
    assertThat(recorder.ended(AGENT, late, refused)).succeedsWithin(Duration.ofSeconds(20));
  }
}
