package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.Blueprint;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.Agent.BackgroundProcess;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.author.PolicySettings;
import dev.colony.blackboard.settings.Settings;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.ChatMessage;
import dev.colony.library.policy.PlanningContext.RenderedStream;
import dev.colony.vcm.mapping.TokenCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class PlanningFormatTest {

  static final PlanningFormat FORMAT =
      PlanningFormat.of(PromptLayers.STOCK, PolicySettings.DEFAULTS, AgentTypes.installed());

  static final PlanningContext FULL =
      PlanningContext.of(next -> {
        next.role = "You are a clerk.";
        next.goals = List.of("Keep the notes in order");
        next.constraints = List.of("Never write twice");
        next.input = JsonNodeFactory.instance.objectNode().put("query", "milk");
        next.streams =
            List.of(
                new RenderedStream("conversation", "## Conversation\n**User**: hi"),
                new RenderedStream("silent", ""),
                new RenderedStream("results", "## Results\n- one"));
        next.news = List.of(JsonNodeFactory.instance.objectNode().put("tick", 1));
        next.background =
            List.of(new BackgroundProcess("memory", "consolidation", "moves notes to long memory"));
        next.groups =
            List.of(
                new ActionGroup(
                    "notes",
                    "Keeps notes.",
                    List.of(action("notes.write", "Stores a note."), mail("mail.send", "Sends."))));
        next.history =
            List.of(
                call("a1", "notes.write", ActionResult.succeeded("a1", TextNode.valueOf("n1"))),
                call("a2", "mail.send", ActionResult.failed("a2", "no such address")));
        next.reasons = Map.of("a2", "the lead has to know");
        next.nextActionId = "a3";
        next.memories = List.of("[turn 001][note] milk is white");
        next.variables = Map.of("last_note", TextNode.valueOf("n1"));
        next.approvals =
            List.of(
                new Approval("notes.write-1a2b", true, "lead", "but only once", Instant.EPOCH),
                new Approval("mail.send-3c4d", false, "lead", "", Instant.EPOCH));
        next.left = List.of("3 of 5 iterations");
        next.problems = List.of("Your reply could not be used: it calls no tool");
      });

  @Test
  void thePagesTellTheOrderOfThePrompt() throws IOException {
    List<String> order =
        FORMAT.format(FULL).sections().stream()
            .map(one -> one.name().replaceFirst("stream:.*", "stream:NAME"))
            .distinct()
            .toList();
    List<String> table = new ArrayList<>();
    for (String line :
        page("guides/policies.md").lines().filter(it -> it.startsWith("| ")).toList()) {
      NAMED.matcher(line.split("\\|")[2]).results().map(it -> it.group(1)).forEach(table::add);
    }
    table.retainAll(order);
    assertThat(table).isEqualTo(order);
  }

  private static final Pattern NAMED = Pattern.compile("`([a-zA-Z:]+)`");

  private static String page(String name) throws IOException {
    return Files.readString(Path.of("../../docs", name));
  }

  @Test
  void whatIsConstantGoesFirstAndWhatChangesLast() {
    PlanningPrompt prompt = FORMAT.format(FULL);
    assertThat(prompt.system())
        .startsWith("## Your role\nYou are a clerk.\n\n## How you work\nYou are an agent.")
        .endsWith("## Your actions\n- notes (notes_write, mail_send): Keeps notes.");
    assertThat(prompt.messages())
        .containsExactly(
            new ChatMessage.User(
                """
                ## Goals
                - Keep the notes in order

                ## Constraints
                - Never write twice

                ## Input
                - query: milk\
                """),
            new ChatMessage.User(
                """
                ## Actions so far
                - a1: `notes_write` {} -> succeeded: n1
                You said: the lead has to know
                - a2: `mail_send` {} -> failed: no such address

                ## Conversation
                **User**: hi

                ## Results
                - one\
                """),
            new ChatMessage.User(
                """
                ## Memory
                - [turn 001][note] milk is white

                ## Variables
                - $last_note: n1

                ## Running by themselves, not to be called
                - consolidation (memory): moves notes to long memory

                ## What people have said
                - notes_write-1a2b approved by lead: but only once
                - mail_send-3c4d denied by lead

                ## New events
                - {"tick":1}

                ## What you may still use
                - 3 of 5 iterations

                ## What went wrong in the previous iteration
                Your reply could not be used: it calls no tool

                ## Your answer
                What do you do next? The first action of your reply is named a3.\
                """));
  }

  @Test
  void sectionsHaveNamesPartsSizesAndBudgets() {
    PlanningPrompt prompt = FORMAT.format(FULL);
    assertThat(prompt.sections())
        .extracting(one -> one.part() + " " + one.name())
        .containsExactly(
            "TOOLS tools",
            "CONSTANT role",
            "CONSTANT rules",
            "CONSTANT actions",
            "GIVEN goals",
            "GIVEN constraints",
            "GIVEN input",
            "GROWING history",
            "GROWING stream:conversation",
            "GROWING stream:results",
            "CHANGING memory",
            "CHANGING variables",
            "CHANGING background",
            "CHANGING approvals",
            "CHANGING news",
            "CHANGING left",
            "CHANGING problem",
            "CHANGING ask");
    assertThat(prompt.sections())
        .allSatisfy(section ->
            assertThat(section.sizeTokens()).isEqualTo(new TokenCounter().count(section.text())));
    assertThat(prompt.sections()).noneMatch(PromptSection::cut);
  }

  @Test
  void whatHasNothingToSayTakesNoRoom() {
    PlanningPrompt prompt = FORMAT.format(PlanningContext.of(next -> {}));
    assertThat(prompt.messages())
        .containsExactly(
            new ChatMessage.User(
                "## Your answer\n"
                    + "What do you do next? The first action of your reply is named a1."));
    assertThat(prompt.system()).startsWith("## How you work");
  }

  @Test
  void theNewestResultsAreShownInFullAndTheOldestActionsAreLeftOut() {
    String large = "word ".repeat(600).strip();
    PlanningPrompt prompt = FORMAT.format(FULL.with(next -> next.history = history(200, large)));
    PromptSection section = section(prompt, "history");
    assertThat(section.cut()).isTrue();
    assertThat(section.text())
        .startsWith("## Actions so far\n[")
        .contains(" earlier ones do not fit]\n", "[600 of 2,999 characters]")
        .endsWith("- a199: `notes_write` {} -> succeeded: " + large);
    assertThat(section.sizeTokens()).isLessThanOrEqualTo(section.budgetTokens());
  }

  @Test
  void aLongResultIsShownAsFarAsItsSectionGoes() {
    String huge = "word ".repeat(100_000);
    PromptSection section =
        section(FORMAT.format(FULL.with(next -> next.history = history(1, huge))), "history");
    assertThat(section.text()).contains("[16,000 of 500,000 characters]");
    PromptSection input =
        section(
            FORMAT.format(
                FULL.with(next ->
                    next.input =
                        JsonNodeFactory.instance.objectNode().put("report", huge).put("n", 1))),
            "input");
    assertThat(input.text()).contains("[6,000 of 500,000 characters]").endsWith("- n: 1");
  }

  @Test
  void overThirtyStepsNearlyAllOfAPromptIsTheBeginningOfTheNext() {
    PlanningContext agent =
        PlanningContext.of(next -> {
          next.role = FULL.role();
          next.goals = FULL.goals();
          next.input = FULL.input();
          next.groups = FULL.groups();
        });
    PlanningPrompt before = FORMAT.format(agent);
    for (int count = 1; count <= 30; count++) {
      int steps = count;
      PlanningPrompt now =
          FORMAT.format(
              agent.with(next -> {
                next.history = history(steps, "found in file " + "x".repeat(120));
                next.nextActionId = "a" + (steps + 1);
                next.left = List.of((30 - steps) + " of 30 iterations");
              }));
      assertThat(PlanningPrompt.shared(before.text(), now.text()))
          .as("step " + steps)
          .isGreaterThanOrEqualTo(0.85);
      before = now;
    }
  }

  @Test
  void whereAHistoryOverflowsItsBeginningMovesSeldom() {
    PlanningPrompt before = null;
    int moved = 0;
    for (int count = 300; count < 364; count++) {
      int steps = count;
      PlanningPrompt now =
          FORMAT.format(FULL.with(next -> next.history = history(steps, "word ".repeat(60))));
      moved += before != null && PlanningPrompt.shared(before.text(), now.text()) < 0.5 ? 1 : 0;
      before = now;
    }
    assertThat(moved).isLessThanOrEqualTo(64 / 8);
  }

  @Test
  void layersAreAddedMovedReplacedAndBudgeted() {
    PromptLayers layers =
        PromptLayers.STOCK
            .without("background")
            .before("goals", "house", Blueprint.of("prompt.role"))
            .replace("memory", Blueprint.of("prompt.goals"))
            .tokens("constraints", 32);
    PlanningPrompt prompt =
        PlanningFormat.of(layers, PolicySettings.DEFAULTS, AgentTypes.installed())
            .format(FULL.with(next -> next.constraints = List.of("word ".repeat(200), "another")));
    assertThat(prompt.sections())
        .extracting(PromptSection::name)
        .contains("house", "memory")
        .doesNotContain("background");
    assertThat(section(prompt, "memory").text()).startsWith("## Goals");
    assertThat(section(prompt, "house").budgetTokens()).isEqualTo(1000);
    assertThat(section(prompt, "constraints").cut()).isTrue();
    assertThat(section(prompt, "constraints").budgetTokens()).isEqualTo(32);
    assertThatThrownBy(() -> layers.without("nothing"))
        .hasMessageContaining("no layer is named nothing");
    assertThatThrownBy(() -> layers.tokens("goals", 3))
        .hasMessageContaining("the budget of goals is 3 tokens, but must be 32 to 1000000");
  }

  @Test
  void parametersAreSaidInWords() throws Exception {
    JsonNode schema =
        JsonValues.parse(
            """
            {"type": "object", "required": ["to"], "properties": {
              "to": {"type": "string", "format": "email", "description": "who gets it"},
              "stars": {"type": ["integer", "null"], "minimum": 1, "maximum": 5, "default": 3},
              "kind": {"enum": ["note", "task", null]},
              "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
              "when": {"anyOf": [{"type": "string", "format": "date"}, {"$ref": "#/$defs/day"}]}},
             "$defs": {"day": {"type": "integer", "minimum": 0}}}
            """);
    assertThat(SchemaWords.parameters(schema))
        .isEqualTo(
            "to (text in the format email): who gets it; "
                + "stars (whole number, 1 to 5, optional, by default 3); "
                + "kind (one of note, task, optional); "
                + "tags (list of text, at most 4 elements, optional); "
                + "when (text in the format date or whole number, 0 or more, optional)");
  }

  @Test
  void aBudgetOutOfRangeStopsTheStart() {
    assertThatThrownBy(() ->
            Settings.read(
                PolicySettings.class,
                ConfigFactory.parseString("colony.agent.prompt.history = 3")
                    .withFallback(ConfigFactory.defaultReference(getClass().getClassLoader()))))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("'colony.agent.prompt.history': is 3, but must be 32 to 1000000");
  }

  @Property(tries = 200)
  void everySectionKeepsItsBudgetAndTheSameContextGivesTheSameText(
      @ForAll("contexts") PlanningContext context,
      @ForAll @IntRange(min = 32, max = 200) int tokens) {
    PromptLayers layers = PromptLayers.STOCK;
    for (PromptLayers.Placed one : layers.layers()) {
      layers = layers.tokens(one.name(), tokens);
    }
    PlanningFormat format =
        PlanningFormat.of(layers, PolicySettings.DEFAULTS, AgentTypes.installed());
    TokenCounter counter = new TokenCounter();
    PlanningPrompt prompt = format.format(context);
    for (PromptSection section : prompt.sections()) {
      assertThat(counter.count(section.text()))
          .as(section.name())
          .isEqualTo(section.sizeTokens())
          .isLessThanOrEqualTo(section.budgetTokens());
    }
    assertThat(format.format(context).text()).isEqualTo(prompt.text());
  }

  @Property(tries = 300)
  void aTextWithinItsBudgetIsNotTouchedAndNoCharacterIsCutInTwo(
      @ForAll("texts") String text, @ForAll @IntRange(min = 1, max = 80) int tokens) {
    TextBudget.Fitted fitted = new TextBudget(tokens).cut(text);
    if (new TokenCounter().count(text) <= tokens) {
      assertThat(fitted.text()).isEqualTo(text);
    } else {
      assertThat(fitted.cut()).isTrue();
    }
    String valid = text.codePoints().anyMatch(c -> c >= 0xD800 && c <= 0xDFFF) ? "" : fitted.text();
    assertThat(valid.codePoints()).noneMatch(c -> c >= 0xD800 && c <= 0xDFFF);
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> words =
        Arbitraries.of("note ", "ein Wort ", "日本", "😀", "\n", "aaaaaaaa", "`");
    return words.list().ofMaxSize(120).map(parts -> String.join("", parts));
  }

  @Provide
  Arbitrary<PlanningContext> contexts() {
    Arbitrary<List<String>> lists = texts().list().ofMaxSize(4);
    return Combinators.combine(texts(), lists, lists, lists)
        .as((text, goals, streams, others) ->
            FULL.with(next -> {
              next.role = text;
              next.goals = goals;
              next.constraints = others;
              next.input = JsonNodeFactory.instance.objectNode().put("given", text);
              next.streams = streams.stream().map(one -> new RenderedStream("s", one)).toList();
              next.news = others.stream().<JsonNode>map(TextNode::valueOf).toList();
              next.memories = goals;
              next.history =
                  streams.stream()
                      .map(one -> call("a", "k", ActionResult.failed("a", one)))
                      .toList();
              next.problems = List.of(text);
            }));
  }

  private static List<ActionCall> history(int size, String result) {
    return IntStream.range(0, size)
        .mapToObj(i ->
            call("a" + i, "notes.write", ActionResult.succeeded("a" + i, TextNode.valueOf(result))))
        .toList();
  }

  static PromptSection section(PlanningPrompt prompt, String name) {
    return prompt.sections().stream().filter(one -> one.name().equals(name)).findFirst().get();
  }

  private static ActionCall call(String id, String key, ActionResult result) {
    return new ActionCall(Action.of(id, key, null), result);
  }

  static ActionDescription action(String key, String summary) {
    return described(key, summary, Effect.INTERNAL);
  }

  private static ActionDescription mail(String key, String summary) {
    return described(key, summary, Effect.EXTERNAL);
  }

  private static ActionDescription described(String key, String summary, Effect effect) {
    var schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    var properties = schema.putObject("properties");
    properties.putObject("text").put("type", "string").put("description", "what it says");
    properties.putObject("stars").put("type", "integer");
    schema.putArray("required").add("text");
    return new ActionDescription(
        key,
        "notes",
        summary,
        Set.of(),
        schema,
        JsonNodeFactory.instance.objectNode(),
        List.of(),
        List.of(),
        true,
        effect,
        true,
        false,
        false,
        Duration.ofSeconds(30));
  }
}
