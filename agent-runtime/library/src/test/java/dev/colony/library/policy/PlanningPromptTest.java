package dev.colony.library.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.library.policy.PromptSection.Part;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes first where a prompt has to be shorter. */
class PlanningPromptTest {

  private static final int PAGE_TOKENS = 1000;
  private static final List<PageId> PAGES = List.of(page('a'), page('b'), page('c'));
  private static final String GOALS = "## Goals\n- Reach the harbour";
  private static final PlanningPrompt PROMPT =
      new PlanningPrompt(
          PAGES,
          List.of(
              section("tools", Part.TOOLS, "{\"name\":\"sail\"}"),
              section("rules", Part.CONSTANT, "## How you work\nYou call tools."),
              section("goals", Part.GIVEN, GOALS),
              section("input", Part.GIVEN, lines("## Input", "the wind at", 100)),
              section("history", Part.GROWING, lines("## Actions so far", "a", 400)),
              section("memory", Part.CHANGING, lines("## Memory", "the buoy", 100)),
              section("left", Part.CHANGING, "## What you may still use\n- 3 iterations"),
              section("plan", Part.CHANGING, lines("## Your plan", "sail to", 50)),
              section("ask", Part.CHANGING, "## Your answer\nWhat do you do next?")),
          ActionTools.of(List.of(), JsonNodeFactory.instance.objectNode(), 1000, 10));

  private static PageId page(char letter) {
    return new PageId(String.valueOf(letter).repeat(26));
  }

  private static String lines(String heading, String what, int many) {
    return heading
        + IntStream.rangeClosed(1, many)
            .mapToObj(i -> "\n- " + what + " " + i + " is kept here")
            .collect(Collectors.joining());
  }

  private static PromptSection section(String name, Part part, String text) {
    int tokens = TextBudget.count(text);
    return new PromptSection(name, part, text, tokens, tokens, false);
  }

  private static int tokens(String name) {
    return named(PROMPT, name).sizeTokens();
  }

  private static PromptSection named(PlanningPrompt prompt, String name) {
    return prompt.sections().stream().filter(one -> one.name().equals(name)).findFirst().get();
  }

  private static PlanningPrompt shorter(long tokens) {
    return PROMPT.shorter(tokens, page -> PAGE_TOKENS);
  }

  private static long size(PlanningPrompt prompt) {
    return prompt.sections().stream().mapToLong(PromptSection::sizeTokens).sum()
        + (long) prompt.pages().size() * PAGE_TOKENS;
  }

  @Test
  void theLongestOfWhatGrowsAndChangesIsCutAndOfAHistoryTheOldest() {
    PlanningPrompt shorter = shorter(tokens("history") / 2);

    PromptSection history = named(shorter, "history");
    assertThat(history.cut()).isTrue();
    assertThat(history.text())
        .startsWith("## Actions so far\n[")
        .contains(" earlier ones do not fit]\n")
        .endsWith("\n- a 400 is kept here")
        .doesNotContain("\n- a 1 is");
    assertThat(shorter.sections())
        .filteredOn(one -> !one.name().equals("history"))
        .isEqualTo(
            PROMPT.sections().stream().filter(one -> !one.name().equals("history")).toList());
    assertThat(shorter.pages()).isEqualTo(PAGES);
  }

  @Test
  void pagesGoFromTheEndWhereThatDoesNotSufficeAndThePromptSaysSo() {
    PlanningPrompt shorter = shorter(tokens("history") + tokens("memory") + 2 * PAGE_TOKENS);

    assertThat(shorter.pages()).containsExactly(page('a'));
    assertThat(shorter.messages().getLast().toString())
        .contains("[2 of 3 pages do not fit]", "- sail to 1 is", "What do you do next?");
    assertThat(named(shorter, "input")).isEqualTo(named(PROMPT, "input"));
  }

  @Test
  void goalsRulesAndWhatIsAskedStayWhateverHasToGo() {
    PlanningPrompt shorter = shorter(Integer.MAX_VALUE);

    assertThat(shorter.pages()).isEmpty();
    for (String name : List.of("tools", "rules", "goals", "ask")) {
      assertThat(named(shorter, name)).isEqualTo(named(PROMPT, name));
    }
    assertThat(shorter.text()).doesNotContain("is kept here");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 100, 1000, 3000, 5000, 7000})
  void itHasAsManyTokensFewerAsIsAsked(long tokens) {
    assertThat(size(PROMPT) - size(shorter(tokens))).isGreaterThanOrEqualTo(tokens - 20);
    assertThat(shorter(tokens)).as("the same each time").isEqualTo(shorter(tokens));
  }

  @Test
  void aPromptThatIsToLoseNothingIsTheSame() {
    assertThat(shorter(0)).isSameAs(PROMPT);
  }

  @Test
  void theBeginningOfTheNewestLineIsShownWhereNoLineFits() {
    String newest = "- a9: `sail` -> succeeded: " + "far and wide, ".repeat(200);
    PromptSection history =
        section("history", Part.GROWING, "## Actions so far\n- a8: sailed\n" + newest);

    assertThat(history.cut(60).text())
        .startsWith(
            "## Actions so far\n"
                + "[1 earlier ones do not fit]\n"
                + "- a9: `sail` -> succeeded: far and wide")
        .endsWith("[cut here to fit]");
  }
}
