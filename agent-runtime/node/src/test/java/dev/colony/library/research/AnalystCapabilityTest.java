package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.library.research.AnalystCapability.Checked;
import dev.colony.library.research.AnalystCapability.Quote;
import dev.colony.library.research.AnalystPrompt.Assignment;
import dev.colony.library.research.ResearchTypes.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is kept of quotes, through the dispatcher as the policy has it checked. */
class AnalystCapabilityTest {

  private static final String OTHER = Desk.OTHER.id().value();

  private final Desk desk = new Desk();

  private Checked checked(Quote quote, String... shown) {
    desk.run(new Assignment("where is it?", List.of(), List.of(), "", ""), 0);
    JsonNode params =
        Json.of(
            Map.of(
                "page",
                Desk.PAGE.id().value(),
                "modelCall",
                "call-1",
                "quotes",
                List.of(quote),
                "shown",
                List.of(shown)));
    ActionResult result =
        desk.context.dispatcher().dispatch(Action.of("c", AnalystCapability.CHECK_QUOTES, params));
    assertThat(result.error()).isEmpty();
    return Json.read(result.output(), Checked.class);
  }

  @Test
  void whatStandsOnThePageIsKeptAsItStandsThere() {
    assertThat(checked(new Quote("A.java", 1, 3, "class A {", 7)).kept())
        .containsExactly(
            new Evidence(
                "A.java",
                1,
                3,
                "package a;\n\nclass A {",
                7,
                Desk.PAGE.id().value(),
                "acme/lab/tested",
                "call-1"));
  }

  @Test
  void whatStandsOnAnotherPageIsKeptOnlyWhereThatWasShown() {
    Quote quote = new Quote("C.java", 1, 1, "class C {}", 7);

    assertThat(checked(quote).missed()).hasSize(1);
    assertThat(checked(quote, OTHER).kept()).extracting(Evidence::page).containsExactly(OTHER);
  }

  @Test
  void ofWhatStandsNowhereItIsSaidWhatStandsThere() {
    assertThat(checked(new Quote("A.java", 3, 3, "class Z {", 7)).missed())
        .containsExactly(
            new Checked.Missed(
                new Quote("A.java", 3, 3, "class Z {", 7),
                "A.java:1-4",
                "package a;\n\nclass A {\n}"));
  }
}
