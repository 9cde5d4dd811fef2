package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.code.CodePrompt.CodeLayers;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.library.policy.PlanningContext;
import dev.colony.library.policy.PlanningPrompt.KeptPrompt;
import dev.colony.library.policy.PromptLayers;
import dev.colony.library.policy.PromptLayers.PromptLayer;
import dev.colony.library.policy.PromptSection;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.library.policy.PromptSection.SectionRoom;
import dev.colony.testkit.TestAgent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Prompts that ask for cells are made of layers, as other planners' are. */
class CodeLayersTest extends CodeFixture {

  /** A layer of one's own. */
  @Registered(value = "code-test.date", summary = "The day.")
  public static final class DateLayer implements PromptLayer {

    @Override
    public Part part() {
      return Part.GIVEN;
    }

    @Override
    public List<PromptSection> render(PlanningContext context, SectionRoom room) {
      return room.text("## Today", "It is market day.");
    }
  }

  private TestAgent agent(PromptLayers layers) {
    PlannerArgs planner =
        PlannerArgs.NONE.role("You keep the notes.").constraints("Be brief.").prompt(layers);
    return Desk.clerk(
            CodeGenerationActionPolicy.Args.NONE.planner(planner), sandbox, model, new Desk.Deeds())
        .start();
  }

  private static KeptPrompt kept(TestAgent agent, int step) {
    Entry entry =
        agent
            .blackboard(agent.handle().id().scope().namespace(KeptPrompt.NAMESPACE))
            .read("step-" + step + ":cell")
            .toCompletableFuture()
            .join()
            .orElseThrow();
    return ValueMapper.read(entry.key(), entry.value(), KeptPrompt.class);
  }

  private static List<String> names(KeptPrompt prompt) {
    return prompt.sections().stream()
        .filter(one -> !one.text().isEmpty())
        .map(PromptSection::name)
        .filter(name -> !name.equals("left"))
        .toList();
  }

  @Test
  void aPromptIsKeptSectionBySection() {
    model.expect("go").answer(Desk.cell("let n = 7; print('seven')"));
    model.expect("seven").answer(Desk.cell("complete(n)"));
    try (TestAgent agent = agent(CodeLayers.STOCK)) {
      agent.run("go");
      assertThat(names(kept(agent, 0)))
          .containsExactly("tools", "role", "rules", "functions", "goals", "constraints", "ask");
      KeptPrompt second = kept(agent, 1);
      assertThat(names(second))
          .containsExactly(
              "tools", "role", "rules", "functions", "goals", "constraints", "cells", "ask");
      assertThat(second.sections().get(6).text())
          .isEqualTo(
              "```js\nlet n = 7; print('seven')\n```\n\nseven\n## Variables changed\n- n: 7");
      assertThat(second.usage().promptTokens()).isPositive();
    }
  }

  @Test
  void layersAreAddedReplacedAndLeftOut() {
    PromptLayers layers =
        CodeLayers.STOCK
            .without("constraints")
            .before("goals", "day", Blueprint.of("code-test.date"));
    model.expect("## Today\nIt is market day.\n\n## Goals\n- go").answer(Desk.cell("print(1)"));
    model.expect("go").answer(Desk.cell("complete(1)"));
    try (TestAgent agent = agent(layers)) {
      agent.run("go");
    }
    assertThat(model.prompts()).noneMatch(one -> one.text().contains("Be brief."));
  }

  @Test
  void theBudgetOfTheCellsBoundsWhatIsRemembered() {
    for (int i = 0; i < 6; i++) {
      model.expect("go").answer(Desk.cell("print('%d '.repeat(60))".formatted(i)));
    }
    model.expect("[", "earlier turns are not shown any more]").answer(Desk.cell("complete(1)"));
    try (TestAgent agent = agent(CodeLayers.STOCK.tokens("cells", 400))) {
      assertThat(agent.run("go").error()).isEmpty();
      PromptSection cells = kept(agent, 6).sections().get(6);
      assertThat(cells.name()).isEqualTo("cells");
      assertThat(cells.budgetTokens()).isEqualTo(400);
      assertThat(cells.sizeTokens()).isLessThanOrEqualTo(400);
      assertThat(cells.cut()).isTrue();
    }
    assertThat(model.prompts().getLast().text()).doesNotContain("0 0 0");
  }

  @Test
  void theOldestCellsGoWhereThePromptIsTooLongForTheModel() {
    int limit = 6000;
    model
        .expect("too long", prompt -> prompt.text().length() / 4 > limit)
        .fail(
            400,
            "This model's maximum context length is 6000 tokens. However, your prompt contains at"
                + " least 6001 input tokens.")
        .anyTimes();
    for (int i = 0; i < 6; i++) {
      model.expect("go").answer(Desk.cell("print('%d of many '.repeat(400))".formatted(i)));
    }
    model
        .expect("## Goals\n- go", "earlier turns are not shown any more]", "5 of many")
        .answer(Desk.cell("complete(1)"));
    try (TestAgent agent = agent(CodeLayers.STOCK)) {
      assertThat(agent.run("go").error()).isEmpty();
    }
    assertThat(model.prompts().getLast().text()).doesNotContain("0 of many 0 of many");
  }

  @Test
  void withoutTheLayerOfCellsTheModelSeesNoneOfThem() {
    model.expect("go").answer(Desk.cell("print('seven')"));
    model.expect("go").answer(Desk.cell("complete(1)"));
    try (TestAgent agent = agent(CodeLayers.STOCK.without("cells"))) {
      agent.run("go");
    }
    assertThat(model.prompts().getLast().text()).doesNotContain("seven");
  }
}
