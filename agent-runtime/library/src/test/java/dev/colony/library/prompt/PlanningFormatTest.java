package dev.colony.library.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionCall;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionGroup;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.Effect;
import dev.colony.agent.author.Agent.BackgroundProcess;
import dev.colony.agent.author.PromptBudgets;
import dev.colony.agent.suspension.Approval;
import dev.colony.library.prompt.PlanningContext.RenderedStream;
import dev.colony.vcm.tokens.TokenCounter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class PlanningFormatTest {

  private static final PlanningFormat FORMAT =
      new PlanningFormat(
          PromptBudgets.fromConfig(
              ConfigFactory.defaultReference(PlanningFormatTest.class.getClassLoader())),
          200);

  private static final PlanningContext FULL =
      new PlanningContext(
          "You are a clerk.",
          List.of("Keep the notes in order"),
          List.of("Never write twice"),
          JsonNodeFactory.instance.objectNode().put("query", "milk"),
          List.of(
              new RenderedStream("conversation", "## Conversation\n**User**: hi"),
              new RenderedStream("silent", ""),
              new RenderedStream("results", "## Results\n- one")),
          List.of(JsonNodeFactory.instance.objectNode().put("tick", 1)),
          List.of(new BackgroundProcess("memory", "consolidation", "moves notes to long memory")),
          List.of(
              new ActionGroup(
                  "notes",
                  "Keeps notes.",
                  List.of(action("notes.write", "Stores a note."), mail("mail.send", "Sends.")))),
          List.of(
              call("a1", "notes.write", ActionResult.succeeded("a1", TextNode.valueOf("n1"))),
              call("a2", "mail.send", ActionResult.failed("a2", "no such address"))),
          List.of(
              new Approval("notes.write-1a2b", true, "lead", "but only once", Instant.EPOCH),
              new Approval("mail.send-3c4d", false, "lead", "", Instant.EPOCH)),
          Optional.of("Your answer was not usable"));

  @Test
  void sectionsStandInTheirOrderWithStreamsVerbatimBetweenGoalsAndActions() {
    assertThat(FORMAT.decide(FULL).text())
        .startsWith(
            """
            ## Role
            You are a clerk.

            ## Goals
            - Keep the notes in order

            ## Constraints
            - Never write twice

            ## Input
            - query: milk

            ## Conversation
            **User**: hi

            ## Results
            - one

            ## New events
            - {"tick":1}

            ## Running by themselves, not to be called
            - consolidation (memory): moves notes to long memory

            ## Available actions
            ### notes: Keeps notes.
            - `notes.write` Stores a note. Parameters: text (string): what it says; \
            stars (integer, optional)
            - `mail.send` Sends. Parameters: text (string): what it says; \
            stars (integer, optional) [reaches the world outside]

            ## Actions so far
            - a1: `notes.write` {} -> succeeded: n1
            - a2: `mail.send` {} -> failed: no such address

            ## What people have said
            - notes.write-1a2b approved by lead: but only once
            - mail.send-3c4d denied by lead

            ## What went wrong in the previous iteration
            Your answer was not usable

            ## Your answer
            """);
  }

  @Test
  void sectionsHaveNamesSizesAndBudgets() {
    PlanningPrompt prompt = FORMAT.decide(FULL);
    assertThat(prompt.sections())
        .extracting(PromptSection::name)
        .containsExactly(
            "role",
            "goals",
            "constraints",
            "input",
            "stream:conversation",
            "stream:silent",
            "stream:results",
            "news",
            "background",
            "actions",
            "history",
            "approvals",
            "problem",
            "answer");
    assertThat(prompt.sections())
        .allSatisfy(section ->
            assertThat(section.sizeTokens()).isEqualTo(new TokenCounter().count(section.text())));
    assertThat(prompt.sections()).noneMatch(PromptSection::cut);
  }

  @Test
  void whatHasNothingToSayTakesNoRoom() {
    PlanningContext bare =
        new PlanningContext(
            "",
            List.of(),
            List.of(),
            JsonNodeFactory.instance.objectNode(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            Optional.empty());
    assertThat(FORMAT.decide(bare).text())
        .startsWith("## Available actions\nNone.\n\n## Your answer\n");
  }

  @Test
  void theTwoPhasesShowTheParametersOfTheChosenActionOnly() {
    PlanningPrompt choose = FORMAT.choose(FULL);
    assertThat(choose.text()).doesNotContain("Parameters:").contains("- `notes.write` Stores");
    PlanningPrompt fill = FORMAT.fill(FULL, choose.offered().getFirst());
    String shared = choose.text().substring(0, choose.text().indexOf("## Your answer"));
    assertThat(fill.text())
        .startsWith(shared)
        .contains("## Chosen action\n- `notes.write` Stores a note.\nIts parameters: {\"type\"");
  }

  @Test
  void theOldestActionsAreLeftOutFirst() {
    List<ActionCall> history =
        IntStream.range(0, 2000)
            .mapToObj(i ->
                call(
                    "a" + i, "notes.write", ActionResult.succeeded("a" + i, TextNode.valueOf("x"))))
            .toList();
    PromptSection section = section(FORMAT.decide(with(history)), "history");
    assertThat(section.cut()).isTrue();
    assertThat(section.text())
        .startsWith("## Actions so far\n[")
        .contains(" earlier ones do not fit]\n")
        .endsWith("- a1999: `notes.write` {} -> succeeded: x");
    assertThat(section.sizeTokens())
        .isGreaterThan(section.budgetTokens() * 9 / 10)
        .isLessThanOrEqualTo(section.budgetTokens());
  }

  @Test
  void anActionThatDoesNotFitIsNotOffered() {
    List<ActionDescription> many =
        IntStream.range(0, 1000).mapToObj(i -> action("notes.n" + i, "Stores a note.")).toList();
    PlanningPrompt prompt =
        FORMAT.choose(
            new PlanningContext(
                "",
                List.of(),
                List.of(),
                JsonNodeFactory.instance.objectNode(),
                List.of(),
                List.of(),
                List.of(),
                List.of(new ActionGroup("notes", "", many)),
                List.of(),
                List.of(),
                Optional.empty()));
    assertThat(prompt.offered()).hasSizeBetween(100, 999);
    int shown = prompt.offered().size();
    assertThat(section(prompt, "actions").text())
        .contains("`notes.n" + (shown - 1) + "`")
        .doesNotContain("`notes.n" + shown + "`")
        .endsWith("[" + (1000 - shown) + " more do not fit]");
  }

  @Test
  void aBudgetOutOfRangeStopsTheStart() {
    assertThatThrownBy(() ->
            PromptBudgets.fromConfig(
                ConfigFactory.parseString("colony.agent.prompt.goals = 3")
                    .withFallback(ConfigFactory.defaultReference(getClass().getClassLoader()))))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("'colony.agent.prompt.goals': is 3, but must be 32 to 1000000");
  }

  @Property(tries = 300)
  void everySectionKeepsItsBudgetAndTheSameContextGivesTheSameText(
      @ForAll("contexts") PlanningContext context, @ForAll("budgets") PromptBudgets budgets) {
    PlanningFormat format = new PlanningFormat(budgets, 64);
    TokenCounter counter = new TokenCounter();
    for (PlanningPrompt prompt : List.of(format.decide(context), format.choose(context))) {
      for (PromptSection section : prompt.sections()) {
        assertThat(counter.count(section.text()))
            .as(section.name())
            .isEqualTo(section.sizeTokens())
            .isLessThanOrEqualTo(section.budgetTokens());
      }
      String actions = section(prompt, "actions").text();
      if (!section(prompt, "actions").cut()) {
        assertThat(prompt.offered())
            .allSatisfy(action -> assertThat(actions).contains("`" + action.key() + "`"));
      }
    }
    assertThat(new PlanningFormat(budgets, 64).decide(context)).isEqualTo(format.decide(context));
  }

  @Property(tries = 300)
  void aTextWithinItsBudgetIsNotTouchedAndNoCharacterIsCutInTwo(
      @ForAll("texts") String text, @ForAll("sizes") int tokens) {
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
  Arbitrary<Integer> sizes() {
    return Arbitraries.integers().between(1, 80);
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> words =
        Arbitraries.of("note ", "ein Wort ", "日本", "😀", "\n", "aaaaaaaa", "`");
    return words.list().ofMaxSize(120).map(parts -> String.join("", parts));
  }

  @Provide
  Arbitrary<PromptBudgets> budgets() {
    Arbitrary<Integer> size = Arbitraries.integers().between(32, 200);
    return size.list()
        .ofSize(11)
        .map(s ->
            new PromptBudgets(
                s.get(0), s.get(1), s.get(2), s.get(3), s.get(4), s.get(5), s.get(6), s.get(7),
                s.get(8), s.get(9), s.get(10)));
  }

  @Provide
  Arbitrary<PlanningContext> contexts() {
    Arbitrary<List<String>> lists = texts().list().ofMaxSize(4);
    return Combinators.combine(texts(), lists, lists, lists)
        .as((text, goals, streams, others) ->
            new PlanningContext(
                text,
                goals,
                others,
                JsonNodeFactory.instance.objectNode().put("given", text),
                streams.stream().map(one -> new RenderedStream("s", one)).toList(),
                others.stream().<JsonNode>map(TextNode::valueOf).toList(),
                others.stream().map(one -> new BackgroundProcess("c", "p", one)).toList(),
                List.of(
                    new ActionGroup(
                        "notes",
                        text,
                        IntStream.range(0, goals.size())
                            .mapToObj(i -> action("notes.n" + i, goals.get(i)))
                            .toList())),
                streams.stream().map(one -> call("a", "k", ActionResult.failed("a", one))).toList(),
                others.stream()
                    .map(one -> new Approval("r", one.isEmpty(), "lead", one, Instant.EPOCH))
                    .toList(),
                Optional.of(text)));
  }

  private static PlanningContext with(List<ActionCall> history) {
    return new PlanningContext(
        FULL.role(),
        FULL.goals(),
        FULL.constraints(),
        FULL.input(),
        FULL.streams(),
        FULL.news(),
        FULL.background(),
        FULL.groups(),
        history,
        FULL.approvals(),
        FULL.problem());
  }

  private static PromptSection section(PlanningPrompt prompt, String name) {
    return prompt.sections().stream().filter(one -> one.name().equals(name)).findFirst().get();
  }

  private static ActionCall call(String id, String key, ActionResult result) {
    return new ActionCall(Action.of(id, key, null), result);
  }

  private static ActionDescription action(String key, String summary) {
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
