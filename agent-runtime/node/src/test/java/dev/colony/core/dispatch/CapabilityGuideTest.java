package dev.colony.core.dispatch;

import static dev.colony.core.dispatch.Dispatching.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.action.ActionType;
import dev.colony.agent.author.ActionDispatcher;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.EventStream;
import dev.colony.agent.author.Param;
import dev.colony.agent.fixture.Guide;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.dispatch.ControlWatch.ActionControlProtocol;
import dev.colony.core.dispatch.ControlWatch.ActionControlProtocol.ActionControl;
import dev.colony.core.dispatch.ReviewCapability.Finding;
import dev.colony.core.dispatch.ReviewCapability.Rules;
import dev.colony.core.registry.AgentTypes;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/guides/capabilities.md shows, run. */
class CapabilityGuideTest {

  private static final Path PAGE = Path.of("../../docs/guides/capabilities.md");

  private final TestAgent agent = TestAgent.named("a1");
  private final Rules rules = new Rules("owasp", 20);
  private final ReviewCapability review =
      new ReviewCapability(agent.capabilityContext("review"), rules);
  private final Dispatching run = Dispatching.of(agent.with(review));

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns(
        "guides/capabilities.md", CapabilityGuideTest.class, ReviewCapability.class);
  }

  @ParameterizedTest
  @ValueSource(classes = {ActionExecutor.class, EventHandler.class, Background.class, Param.class})
  void thePageNamesEachMemberOfTheAnnotations(Class<? extends Annotation> type) throws Exception {
    String page = Files.readString(PAGE);
    for (Method member : type.getDeclaredMethods()) {
      assertThat(page).contains("| `" + member.getName() + "` |");
    }
  }

  @Test
  void thePageListsTheTaxonomy() throws Exception {
    String page = Files.readString(PAGE);
    for (ActionType.Category category : ActionType.Category.values()) {
      String types =
          Arrays.stream(ActionType.values())
              .filter(type -> type.category() == category && type != ActionType.CUSTOM)
              .map(type -> "`" + type.key() + "`")
              .collect(Collectors.joining(", "));
      if (!types.isEmpty()) {
        String name = category.name().charAt(0) + category.name().substring(1).toLowerCase();
        assertThat(page).contains("| " + name + " | " + types + " |");
      }
    }
  }

  @Test
  void aCapabilityIsBoundToAnAgent() {
    AgentTypes types = AgentTypes.of(List.of(open -> open.add(ReviewCapability.class)));
    // guide: bind
    CapabilityBlueprint reviewing =
        CapabilityBlueprint.of(types.bind(ReviewCapability.class, new Rules("owasp", 20)))
            .key("review")
            .namespace("review")
            .exclude("review.open_ticket");
    // guide end
    assertThat(reviewing.scopeFor(agent.id()).path())
        .isEqualTo("tenant:acme:colony:lab:agent:a1:namespace:review");
  }

  @Test
  void severalActionsAreOfOneIteration() {
    List<Action> independent =
        List.of(
            Action.of("one", "review.check", json("{'page':'auth'}")),
            Action.of("two", "review.check", json("{'page':'billing'}")));
    assertThat(sideBySide(run.dispatcher, independent).success()).isTrue();
    assertThat(run.journal.ended).hasSize(2).allMatch(call -> call.result().success());
  }

  private static ActionPolicyIterationResult sideBySide(
      ActionDispatcher dispatcher, List<Action> independent) {
    // guide: several
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Action action : independent) {
        threads.submit(() -> dispatcher.perform(action));
      }
    }
    return ActionPolicyIterationResult.skipped();
    // guide end
  }

  @Test
  void anActionIsDispatched() {
    ActionResult checked = run.act("look", "review.check", "{'page':'auth'}");
    assertThat(checked.output().at("/0/text").asText()).isEqualTo("owasp in auth");
    ActionResult opened = run.act("open", "review.open_ticket", "{'finding':'$results.look.0'}");
    assertThat(opened.output().asText()).isEqualTo("T-1");
    assertThat(run.act("again", "review.open_ticket", "{'finding':'$findings.0'}").success())
        .isTrue();
    assertThat(run.act("sims", "review.similarities", "{'pages':['a']}").success()).isTrue();
  }

  @Test
  void aBlockedActionSaysSoUntilSomethingIsFound() {
    assertThat(run.act("sum", "review.sum_up", "{}").status()).isEqualTo(Status.BLOCKED);
    run.act("tell", "review.tell", "{'finding':{'id':'7','page':'p','text':'t'}}");
    assertThat(run.act("sum2", "review.sum_up", "{}").output().asInt()).isEqualTo(1);
  }

  @Test
  void aLongActionIsControlled() throws Exception {
    Blackboard agentsBoard = agent.blackboard();
    RunId runId = new RunId("r1");
    // guide: control
    ActionControlProtocol controls = new ActionControlProtocol();
    agentsBoard.write(controls.give(runId, "check-all", ActionControl.PAUSE));
    // guide end
    CompletableFuture<ActionResult> all =
        run.start("check-all", "review.check_all", "{'pages':['a','b']}");
    agentsBoard
        .write(controls.give(runId, "check-all", ActionControl.RESUME))
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS);
    assertThat(all.get(10, TimeUnit.SECONDS).output().asInt()).isEqualTo(2);
    assertThat(run.journal.emitted).hasSize(2);
  }

  @Test
  void eventsAreHandled() throws Exception {
    Finding finding = new Finding("1", "auth", "weak");
    EventBatch.Event event =
        new EventBatch.Event(
            "finding:1",
            Position.BEGINNING,
            Instant.now(),
            "w",
            0,
            1,
            Set.of(),
            Optional.of(ValueMapper.write("finding:1", finding)));
    assertThat(CapabilityType.handle(review, review.scope(), event))
        .containsExactly(new EventHandler.Context("finding", "weak"));
  }

  @Test
  void theFourModes() throws Exception {
    var blackboards = agent.blackboards();
    AgentId child = new AgentId("acme", "lab", "child");
    RunId runId = new RunId("r7");
    // guide: modes
    // Local: the agent's own scope, or a namespace of it.
    CapabilityContext local =
        new CapabilityContext(Optional.of(agent), "review", agent.blackboard());

    // Remote: another agent's scope. A parent hears of its child.
    CapabilityContext remote =
        new CapabilityContext(
            Optional.of(agent), "watch", agent.blackboard(child.scope().namespace("review")));

    // Shared: one scope for all who take part.
    CapabilityContext shared =
        new CapabilityContext(
            Optional.of(agent), "game", agent.blackboard(Scope.session("acme", "lab", "game-1")));

    // Detached: no agent at all, only a scope.
    CapabilityContext detached =
        CapabilityContext.detached(blackboards, child.scope().namespace("review"), "console");
    // guide end
    assertThat(local.scope()).isEqualTo(agent.id().scope());
    assertThat(shared.scope().path()).contains("game-1");
    // guide: listen
    try (ReviewCapability watching = new ReviewCapability(remote, rules)) {
      BlockingQueue<BlackboardEvent> events = new ArrayBlockingQueue<>(100);
      EventStream stream = watching.streamEventsTo(events, "finding:*");
      CompletableFuture<AgentRun> result = watching.resultFuture(runId);
      CompletableFuture<Finding> found = watching.resultFuture(Finding.class);
      // guide pause
      try (ReviewCapability console = new ReviewCapability(detached, rules)) {
        console.publish(new Finding("1", "p", "t")).toCompletableFuture().get(10, TimeUnit.SECONDS);
        AgentRun done = AgentRun.completed(runId, json("{}"), RunStats.NONE);
        console.blackboard().write(Write.of("result:run:r7", done.toJson()));
      }
      assertThat(events.poll(10, TimeUnit.SECONDS).entryKey()).contains("finding:1");
      assertThat(result.get(10, TimeUnit.SECONDS).runId()).isEqualTo(runId);
      assertThat(found.get(10, TimeUnit.SECONDS).text()).isEqualTo("t");
      stream.close();
      // guide resume
    }
    // guide end
  }

  @Test
  void whatAPlannerWritesIsResolved() {
    // guide: refs
    Action action =
        Action.of("report", "review.open_ticket", json("{'finding': '$results.look.0'}"));
    // guide end
    run.act("look", "review.check", "{'page':'auth'}");
    assertThat(run.dispatcher.dispatch(action).success()).isTrue();
  }
}
