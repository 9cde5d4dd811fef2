package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.EventBatch;
import dev.colony.agent.author.EventHandler;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.library.context.ContextCapability;
import dev.colony.library.prompt.PromptSection;
import dev.colony.schema.JsonValues;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.library.memory.MemoryCapability;
import dev.colony.library.prompt.PlanningPrompt;
import dev.colony.library.stream.ActionKeySubstringFilter;
import dev.colony.library.stream.JSONStreamFormatter;
import dev.colony.library.stream.SuccessfulActionFilter;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.FakeModel.Prompt;
import dev.colony.testkit.TestAgent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents that a model plans for, over HTTP, against servers with tools and without. */
class PlanningOverHttpTest {

  /** A capability that keeps notes. */
  @Registered(value = "test.notes", summary = "Keeps notes.")
  public static final class Notes extends AgentCapability {

    public Notes(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "notes.add", summary = "Stores a note.", writes = "last_note")
    Map<String, Object> add(
        @Param("what it says") String text,
        @Param(value = "how good it is", defaultValue = "3") @Range(min = 1, max = 5)
            Optional<Integer> stars) {
      return Map.of("text", text, "stars", stars.orElseThrow());
    }

    @ActionExecutor(key = "notes.report", summary = "Gives all notes.", tags = "slow")
    String report() {
      return "note ".repeat(700).strip();
    }

    @EventHandler(pattern = "chat:*", contextKey = "chat")
    JsonNode onChat(EventBatch.Event event) {
      return event.value().orElseThrow();
    }

    @ActionExecutor(key = "notes.burn", summary = "Burns a note.")
    String burn(String text) {
      throw new IllegalStateException(text + " does not burn");
    }
  }

  private static final TypeProvider TYPES = types -> types.add(Notes.class);

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private TestAgent agent(AgentBlueprint blueprint) {
    return TestAgent.of(blueprint).types(TYPES).model(model).start();
  }

  private static AgentBlueprint clerk() {
    return clerk(PlannerArgs.NONE);
  }

  private static AgentBlueprint clerk(PlannerArgs args) {
    return AgentBlueprint.of(MinimalActionPolicy.class, args)
        .capability(CapabilityBlueprint.of(Blueprint.of("test.notes")));
  }

  private FakeModel served(boolean tools) {
    return tools ? model : model.withoutTools();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theSameAgentWorksWithToolsAndWithout(boolean tools) {
    served(tools).expect("## Goals\n- Greet").act("notes.add", Map.of("text", "hi"));
    model
        .expect("- a1: `notes_add` {\"text\":\"hi\"} -> succeeded: {", "You said: scripted")
        .complete("done");
    try (TestAgent agent = agent(clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.output().asText()).isEqualTo("done");
      agent.steps().assertOutput("notes.add", Map.of("text", "hi", "stars", 3));
    }
    Prompt last = model.prompts().getLast();
    assertThat(last.offers("notes_add")).isEqualTo(tools);
    assertThat(last.system()).startsWith("## How you work\nYou are an agent.");
    assertThat(last.system().contains("- notes_add: Stores a note.")).isEqualTo(!tools);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReplyMayEndTheRunTogetherWithItsLastAction(boolean tools) {
    served(tools)
        .expect("Greet")
        .calls(
            "notes.add", Map.of("text", "one"),
            "notes.add", Map.of("text", "$results.a1.text", "stars", "$results.a1.stars"),
            "complete", Map.of("result", "$results.a2"));
    try (TestAgent agent = agent(clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.output().path("text").asText()).isEqualTo("one");
      assertThat(run.stats().modelCalls()).isEqualTo(1);
      agent.steps().assertActions("notes.add", "notes.add");
    }
  }

  @Test
  void whenAnActionFailsTheRestOfTheReplyIsDroppedAndTheModelIsTold() {
    model
        .expect("Greet")
        .calls(
            "notes.burn", Map.of("text", "x"),
            "notes.add", Map.of("text", "y"),
            "complete", Map.of("result", "fine"));
    model
        .expect(
            "-> failed: ",
            "These actions of your last reply were not taken, since the one before did not"
                + " succeed: notes.add")
        .giveUp("it does not burn");
    try (TestAgent agent = agent(clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.error()).contains("gave up: it does not burn");
      agent.steps().assertActions("notes.burn");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aBadReplyIsRepairedInWordsAboutTheActionThatItNames(boolean tools) {
    served(tools).expect("## Goals").act("notes.add", Map.of("txt", "hi"));
    model
        .expect(
            "`notes_add` needs `text` (text), which is missing",
            "`notes_add` has no `txt`, only text, stars")
        .act("notes.add", Map.of("text", "hi"));
    model.expect("-> succeeded").complete("done");
    try (TestAgent agent = agent(clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.status()).isEqualTo(AgentRun.Status.COMPLETED);
      assertThat(run.stats().modelCalls()).isEqualTo(2);
    }
  }

  @Test
  void anUnknownActionIsAnsweredWithThoseThatAreLikeIt() {
    model.expect("## Goals").act("note_create", Map.of());
    model
        .expect("there is no action `note_create`; did you mean notes_add or")
        .act("notes.add", Map.of("text", "hi", "stars", 9));
    model
        .expect("Your reply could not be used: the arguments of `notes_add` do not fit: ", "1 to 5")
        .complete("done");
    try (TestAgent agent = agent(clerk())) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
    assertThat(model.prompts().getLast().text()).doesNotContain("127.0.0.1");
  }

  @Test
  void allTokensOfAModelThatIsNeverUsableAreBooked() {
    model.expect().answer("I think").usage(100, 0, 7).times(6);
    try (TestAgent agent = agent(clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.error().orElseThrow())
          .contains("the model gave no usable answer in 3 iterations");
      assertThat(run.stats().usage().promptTokens()).isEqualTo(600);
      assertThat(run.stats().usage().completionTokens()).isEqualTo(42);
    }
  }

  @Test
  void aTextAsInputIsTheGoalAndAChildsTaskAndListsReachThePrompt() {
    model.expect("## Goals\n- Greet the lead").complete(1);
    model.expect("## Input\n- input: [1,2]").complete(2);
    model.expect("## Goals\n- count", "## Input\n- input: {\"n\":3}").complete(3);
    try (TestAgent agent = agent(clerk())) {
      assertThat(agent.run("Greet the lead").output().asInt()).isEqualTo(1);
      assertThat(agent.run(List.of(1, 2)).output().asInt()).isEqualTo(2);
      assertThat(
              agent
                  .run(Map.of("goals", "count", "input", Map.of("n", 3)))
                  .output()
                  .asInt())
          .isEqualTo(3);
    }
  }

  @Test
  void aResultIsShownInFullAsFarAsTheSectionGoes() {
    model.expect("Report").act("notes.report", Map.of());
    model.expect("-> succeeded: " + "note ".repeat(700).strip()).complete("read");
    try (TestAgent agent = agent(clerk())) {
      assertThat(agent.run(Map.of("goals", "Report")).output().asText()).isEqualTo("read");
    }
  }

  @Test
  void whatTheRunGivesIsHeldAgainstItsDeclarationWithinTheCall() {
    ActionPolicyIO io = ActionPolicyIO.builder().output("answer", String.class).build();
    model.expect("Answer").complete(Map.of("answer", 3));
    model.expect("the result of `complete` does not fit: ").complete(Map.of("answer", "three"));
    try (TestAgent agent = agent(clerk(PlannerArgs.NONE.io(io)))) {
      assertThat(agent.run(Map.of("goals", "Answer")).output().path("answer").asText())
          .isEqualTo("three");
    }
  }

  @Test
  void aReferenceToWhatIsNotThereIsRepairedWithinTheCall() {
    model.expect("Greet").act("notes.add", Map.of("text", "$lost"));
    model
        .expect("in the arguments of `notes_add`: ", "there is no variable lost")
        .act("notes.add", Map.of("text", "$$5"));
    model.expect("## Variables\n- $last_note: {").complete("$last_note.text");
    try (TestAgent agent = agent(clerk())) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("$5");
    }
  }

  @Test
  void memoriesOfEarlierRunsAreShownAndThoseOfThisRunAreNot() {
    AgentBlueprint blueprint = clerk().capability(MemoryCapability.bind());
    model
        .expect("first")
        .calls(
            "notes.add", Map.of("text", "milk is white"),
            "complete", Map.of("result", 1, "learned", List.of("notes are short")));
    model.expect("second", "## Memory\n", "notes.add", "notes are short").act("notes.add", Map.of("text", "x"));
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
        clerk()
            .stream(
                ConsciousnessStream.bind("deeds", JSONStreamFormatter.bind("Deeds"))
                    .actions(SuccessfulActionFilter.bind(ActionKeySubstringFilter.bind("add"))));
    model.expect("Greet").act("notes.add", Map.of("text", "hi"));
    model.expect("Deeds\n- notes.add: ", "[because: scripted]").complete("done");
    try (TestAgent agent = agent(blueprint)) {
      agent.run(Map.of("goals", "Greet"));
    }
  }

  @Test
  void tagsAndModelSettingsOfThePolicyAreKept() {
    model
        .expect(
            "no slow tool",
            prompt -> prompt.offers("notes_add") && !prompt.offers("notes_report"))
        .complete("done");
    try (TestAgent agent =
        agent(
            clerk(
                PlannerArgs.NONE
                    .exclude("slow")
                    .model(PlannerModel.OF_AGENT.temperature(0.5).answerTokens(64))))) {
      assertThat(agent.run(Map.of("goals", "Greet")).output().asText()).isEqualTo("done");
    }
  }

  @Test
  void exportsLeaveTheRunWithTheResult() {
    model
        .expect("Greet")
        .calls("complete", Map.of("result", 1, "exports", Map.of("draft", "hello")));
    try (TestAgent agent = agent(clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.exported())
          .isEqualTo(Map.of("draft", JsonNodeFactory.instance.textNode("hello")));
    }
  }

  @Test
  void overThirtyStepsNearlyAllOfWhatIsSentIsTheBeginningOfTheNext() {
    IntStream.range(0, 30)
        .forEach(i -> model.expect().act("notes.add", Map.of("text", "note number " + i)));
    model.expect().complete("done");
    try (TestAgent agent = agent(clerk(PlannerArgs.NONE.role("You keep notes. ".repeat(20))))) {
      agent.run(Map.of("goals", "Write thirty notes"));
    }
    List<String> sent = new ArrayList<>();
    for (Prompt prompt : model.prompts()) {
      sent.add(prompt.text());
    }
    assertThat(sent).hasSize(31);
    for (int i = 1; i < sent.size(); i++) {
      assertThat(PlanningPrompt.shared(sent.get(i - 1), sent.get(i)))
          .as("prompt " + i)
          .isGreaterThanOrEqualTo(0.85);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{\"calls\": 3}",
        "{\"calls\": [{\"tool\": 7}]}",
        "{\"calls\": [{\"tool\": \"notes_add\", \"arguments\": [1]}]}",
        "{\"calls\": [{\"tool\": \"idle\"}, {\"tool\": \"notes_add\", \"arguments\": {}}]}",
        "{\"tool\": \"take\", \"arguments\": {}}"
      })
  void aHostileModelEndsTheRunInAStatedFailure(String answer) {
    model.expect().answer(answer).anyTimes();
    try (TestAgent agent = agent(clerk())) {
      AgentRun run = agent.run(Map.of("goals", "Greet"));
      assertThat(run.error().orElseThrow()).contains("no usable answer in 3 iterations");
      assertThat(model.count()).isEqualTo(6);
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
    try (TestAgent agent = agent(clerk().capability(ContextCapability.bind()))) {
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
    pages
        .save(
            new PageMap(
                "m", "src", List.of(new PageGroup(group, "d", List.of(first, large), 90_000)), 2),
            List.of(
                new VirtualContextPage(first, "=== a.txt\nmerge", 10, List.of()),
                new VirtualContextPage(large, "=== b.txt\nlarge", 90_000, List.of())))
        .toCompletableFuture()
        .join();
    model
        .expect("merge", prompt -> prompt.messages().getFirst().equals("=== a.txt\nmerge"))
        .complete("seen");
    try (TestAgent agent =
        TestAgent.of(clerk().pages(group))
            .types(TYPES)
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
    try (TestAgent agent = agent(clerk())) {
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
    try (TestAgent agent = agent(clerk())) {
      say(agent, "chat:1", "hello");
      say(agent, "chat:2", "again");
    }
  }

  private static void say(TestAgent agent, String key, String text) {
    agent.blackboard().write(Write.of(key, JsonNodeFactory.instance.textNode(text)))
        .toCompletableFuture().join();
    agent.settle();
  }
}
