package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.library.context.ContextCapability;
import dev.colony.library.context.MemoryCapability;
import dev.colony.library.plan.CacheAwareActionPolicy;
import dev.colony.library.plan.PlanArgs;
import dev.colony.library.policy.PlanningPrompt.KeptPrompt;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.SuccessfulActionFilter;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.StoreSettings;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an agent that a model plans for is shown beside its run, and what it leaves, over HTTP. */
class PlannedAgentTest {

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(AgentBlueprint blueprint) {
    return Notes.agent(blueprint, model);
  }

  @Test
  void memoriesOfEarlierRunsAreShownAndThoseOfThisRunAreNot() {
    AgentBlueprint blueprint = Notes.clerk().capability(MemoryCapability.bind());
    model
        .expect("first")
        .calls(
            "notes.add", Map.of("text", "milk is white"),
            "complete", Map.of("result", 1, "learned", List.of("notes are short")));
    model
        .expect("second", "## Memory\n", "notes_add", "notes are short")
        .act("notes.add", Map.of("text", "x"));
    model.expect("second", "- a1: `notes_add`").complete(2);
    try (TestAgent agent = agent(blueprint)) {
      assertThat(agent.run("first").learned()).containsExactly("notes are short");
      agent.advance(Duration.ofMinutes(1));
      agent.run("second");
    }
    assertThat(model.prompts().getLast().text().split("## (Memory|Variables)")[1])
        .doesNotContain("\"text\":\"x\"");
  }

  @Test
  void whyAnActionWasChosenReachesTheStreams() {
    AgentBlueprint blueprint =
        Notes.clerk().stream(
            ConsciousnessStream.bind("deeds", JSONStreamFormatter.bind("Deeds"))
                .actions(SuccessfulActionFilter.bind(ActionKeySubstringFilter.bind("add"))));
    model.expect("Greet").act("notes.add", Map.of("text", "hi"));
    model.expect("Deeds\n- notes_add: ", "[because: scripted]").complete("done");
    try (TestAgent agent = agent(blueprint)) {
      agent.run(Map.of("goals", "Greet"));
    }
  }

  @Test
  void whatWasCutIsReadOn() {
    model.expect("Report", "`context_fetch` shows more of it").act("notes.report", Map.of());
    model
        .expect("-> succeeded: ")
        .act("context_fetch", Map.of("value", "$results.a1", "from", 5, "chars", 9));
    model
        .expect("\"text\":\"note note\"", "\"to\":14", "\"of\":3499")
        .act("context_fetch", Map.of("page", "x"));
    model.expect("the page x cannot be read").complete("read");
    try (TestAgent agent = agent(Notes.clerk().capability(ContextCapability.bind()))) {
      AgentRun run = agent.run(Map.of("goals", "Report"));
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("read");
    }
  }

  @Test
  void thePagesOfTheAgentsGroupGoFirst() {
    PageId first = new PageId("a".repeat(26));
    PageId large = new PageId("b".repeat(26));
    PageGroupId group = new PageGroupId("c".repeat(26));
    PageStore pages =
        new BlackboardPageStore(
            new InMemoryBlackboards(), "test", "test", new StoreSettings(1 << 20, 2, 3));
    pages.save(
        new PageMap(
            "m", "src", List.of(new PageGroup(group, "d", List.of(first, large), 90_000)), 2),
        List.of(
            new VirtualContextPage(first, "=== a.txt\nmerge", 10, List.of()),
            new VirtualContextPage(large, "=== b.txt\nlarge", 90_000, List.of())));
    model
        .expect("merge", prompt -> prompt.messages().getFirst().equals("=== a.txt\nmerge"))
        .complete("seen");
    try (TestAgent agent =
        TestAgent.of(Notes.clerk().pages(group))
            .types(Notes.TYPES)
            .service(PageStore.class, pages)
            .model(model)
            .start()) {
      assertThat(agent.run(Map.of("goals", "Look")).output().asText()).isEqualTo("seen");
    }
    assertThat(model.prompts().getLast().text()).doesNotContain("b.txt");
  }

  @Test
  void thePromptsOfTheLatestStepsAreKeptForPeople() {
    model.expect().act("notes.add", Map.of("text", "hi")).usage(100, 80, 7);
    model.expect().complete("done").usage(200, 150, 3);
    try (TestAgent agent = agent(Notes.clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      List<KeptPrompt> kept =
          agent
              .blackboard(agent.blackboard().scope().namespace(KeptPrompt.NAMESPACE))
              .query(Query.keys("*"))
              .toCompletableFuture()
              .join()
              .entries()
              .stream()
              .map(entry -> (KeptPrompt) JsonValues.read(entry.value(), KeptPrompt.class))
              .toList();
      assertThat(kept).extracting(KeptPrompt::step).containsExactly(0, 1);
      KeptPrompt last = kept.getLast();
      assertThat(last.runId()).isEqualTo(run.runId().value());
      assertThat(last.usage().cachedTokens()).isEqualTo(150);
      assertThat(last.sections()).extracting(PromptSection::name).contains("tools", "history");
    }
  }

  @Test
  void eventsThatARunHasFailedOnAreShownInTheNext() {
    model.expect("## New events\n- {\"chat\":\"hello\"}").fail(400);
    model.expect("## New events\n- {\"chat\":\"hello\"}\n- {\"chat\":\"again\"}").idle();
    try (TestAgent agent = agent(Notes.clerk())) {
      say(agent, "chat:1", "hello");
      say(agent, "chat:2", "again");
    }
  }

  @Test
  void eventsThatComeTogetherWithAnApprovalAreShownInTheNextPrompt() {
    model.expect("Publish").act("notes.publish", Map.of("text", "hi"));
    model
        .expect("a1~2: `notes_publish`", "## New events\n- {\"chat\":\"be brief\"}")
        .complete("done");
    try (TestAgent agent = agent(Notes.clerk())) {
      RunId run = agent.ask(Map.of("goals", "Publish"));
      agent.settle();
      write(agent, "chat:1", "be brief");
      agent.handle().approve(request(agent), "eve", "").join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText()).isEqualTo("done");
    }
  }

  @Test
  void whyTheModelDecidesAndWhatAHandlerEmitsAreEventsOfTheRun() {
    model.expect("Publish").act("notes.publish", Map.of("text", "hi"));
    model.expect("a1~2: `notes_publish`").complete("done");
    try (TestAgent agent = agent(Notes.clerk())) {
      RunId run = agent.ask(Map.of("goals", "Publish"));
      agent.settle();
      write(agent, "chat:1", "be brief");
      agent.handle().approve(request(agent), "eve", "").join();
      agent.settle();
      assertThat(events(agent, run))
          .containsExactly(
              "reasoning {\"text\":\"scripted\"}",
              "heard \"be brief\"",
              "reasoning {\"text\":\"scripted\"}");
    }
  }

  @Test
  void whyAModelPlansAsItDoesIsAnEventOfTheRun() {
    model.expect("Plan how").calls("complete", Map.of("result", "hello"));
    AgentBlueprint planner =
        AgentBlueprint.of(Blueprint.bind(CacheAwareActionPolicy.class, PlanArgs.NONE));
    try (TestAgent agent = TestAgent.of(planner).model(model).start()) {
      AgentRun run = agent.run("Greet");
      assertThat(events(agent, run.runId())).containsExactly("reasoning {\"text\":\"scripted\"}");
    }
  }

  /** What a run made known, its end left out. */
  private static List<String> events(TestAgent agent, RunId run) {
    List<String> events = new ArrayList<>();
    agent
        .handle()
        .attach(run, RunOptions.namespace(TestAgent.NAMESPACE))
        .forEach(event -> {
          if (event.end().isEmpty()) {
            events.add(event.name() + " " + event.data());
          }
        })
        .orTimeout(20, TimeUnit.SECONDS)
        .join();
    return events;
  }

  @Test
  void whatTheRunMayStillTakeIsShownTheNodesAndTheGrantedBoundsIncluded() {
    AgentBlueprint blueprint =
        Notes.clerk()
            .budget(
                RunBudget.OF_NODE
                    .tokens(1000)
                    .cost(new BigDecimal("2.5"))
                    .whenSpent(RunBudget.WhenSpent.SUSPEND));
    model
        .expect(
            "## What you may still use\n- 7 of 7 iterations\n- 1,000 of 1,000 tokens\n"
                + "- 2.5 of 2.5 in money\n- 24 hours")
        .act("notes.add", Map.of("text", "hi"))
        .usage(900, 0, 200);
    model
        .expect(
            "- 13 of 14 iterations\n- 900 of 2,000 tokens\n- 5.0 of 5.0 in money\n- 24 hours",
            "-> succeeded")
        .complete("done");
    try (TestAgent agent =
        TestAgent.of(blueprint)
            .types(Notes.TYPES)
            .model(model)
            .settings("colony.agent.run.usual.iterations = 7")
            .start()) {
      RunId run = agent.ask(Map.of("goals", "Greet"));
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      agent.handle().approve("budget", "eve", "").join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText()).isEqualTo("done");
    }
  }

  /** What a person has to approve before the agent's only action is executed. */
  private static String request(TestAgent agent) {
    ResumptionCondition until = agent.steps().actions().getLast().until().orElseThrow();
    return ((ResumptionCondition.Approved) until).request();
  }

  private static void say(TestAgent agent, String key, String text) {
    write(agent, key, text);
    agent.settle();
  }

  private static void write(TestAgent agent, String key, String text) {
    agent
        .blackboard()
        .write(Write.of(key, JsonNodeFactory.instance.textNode(text)))
        .toCompletableFuture()
        .join();
  }
}
