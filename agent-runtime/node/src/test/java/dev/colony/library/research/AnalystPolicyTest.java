package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Decision;
import dev.colony.vcm.PageId;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnalystPolicyTest {

  private static final String FIRST = "a".repeat(26);
  private static final String SECOND = "b".repeat(26);
  private static final Assignment TWO_PAGES =
      new Assignment("where is it?", List.of(FIRST, SECOND));
  private static final Evidence FOUND =
      new Evidence("A.java", 3, 3, "class A {", 2.5, FIRST, "acme/lab/tested", "read");
  private static final String QUOTE =
      "{\"evidence\":[{\"file\":\"A.java\",\"line\":3,\"text\":\"class A {\"}]}";

  private final Desk desk = new Desk();
  private final AnalystPolicy policy = new AnalystPolicy(desk.context);

  @Test
  void asksTheModelAboutTheFirstPageAlone() {
    desk.answering(QUOTE);

    policy.planStep(desk.run(TWO_PAGES, 0));

    assertThat(desk.asked)
        .singleElement()
        .satisfies(call -> {
          assertThat(call.pages()).containsExactly(new PageId(FIRST));
          assertThat(call.suffix()).endsWith("Question: where is it?");
          assertThat(call.reply().schema()).isPresent();
        });
  }

  @Test
  void hasTheQuotesOfTheReplyChecked() {
    desk.answering(QUOTE);

    Action action = ((Decision.Act) policy.planStep(desk.run(TWO_PAGES, 0))).action();

    assertThat(action.key()).isEqualTo(AnalystCapability.CHECK_QUOTES);
    assertThat(action.params().path("page").asText()).isEqualTo(FIRST);
    assertThat(action.params().path("modelCall").asText()).isEqualTo("read");
    assertThat(action.params().path("quotes")).hasSize(1);
  }

  @Test
  void quotesThatLookLikeReferencesStandForThemselves() {
    desk.answering(QUOTE.replace("class A {", "$results.other"));

    Action action = ((Decision.Act) policy.planStep(desk.run(TWO_PAGES, 0))).action();

    assertThat(desk.context.dispatcher().resolve(action.params()).at("/quotes/0/text").asText())
        .isEqualTo("$results.other");
  }

  @Test
  void goesOnToTheNextPage() {
    desk.answering(QUOTE);

    policy.planStep(desk.run(TWO_PAGES, 1, found("page-0", FOUND)));

    assertThat(desk.asked.getFirst().pages()).containsExactly(new PageId(SECOND));
  }

  @Test
  void completesWithTheStrongestEvidenceFirst() {
    Evidence stronger =
        new Evidence("B.java", 9, 9, "class B {", 7.0, SECOND, "acme/lab/tested", "read");

    Decision decision =
        policy.planStep(desk.run(TWO_PAGES, 2, found("page-0", FOUND), found("page-1", stronger)));

    assertThat(findings(decision))
        .isEqualTo(new Findings(List.of(stronger, FOUND), List.of(), UnreadReasons.NONE));
  }

  @Test
  void namesThePageThatNoModelAnsweredFor() {
    ActionPolicyExecutionState unanswered = desk.run(TWO_PAGES, 0);
    assertThat(policy.planStep(unanswered)).isInstanceOf(Decision.Skip.class);

    Decision decision =
        policy.planStep(desk.run(TWO_PAGES, 2, unanswered.custom(), found("page-1")));

    assertThat(findings(decision))
        .isEqualTo(new Findings(List.of(), List.of(FIRST), UnreadReasons.of(List.of("gone"))));
  }

  @Test
  void namesThePageWhoseQuotesCouldNotBeChecked() {
    Decision decision =
        policy.planStep(
            desk.run(TWO_PAGES, 2, found("page-0"), ActionResult.failed("page-1", "no page")));

    assertThat(findings(decision))
        .isEqualTo(new Findings(List.of(), List.of(SECOND), UnreadReasons.of(List.of("no page"))));
  }

  @Test
  void failsWhereNoPageWasAnsweredFor() {
    Decision decision =
        policy.planStep(
            desk.run(
                TWO_PAGES,
                2,
                ActionResult.failed("page-0", "one"),
                ActionResult.failed("page-1", "two")));

    assertThat(((Decision.Fail) decision).error().message()).isEqualTo("two");
  }

  private static ActionResult found(String actionId, Evidence... evidence) {
    return ActionResult.succeeded(actionId, Json.of(List.of(evidence)));
  }

  private static Findings findings(Decision decision) {
    JsonNode output = ((Decision.Complete) decision).output().finalResult();
    return Json.read(output, Findings.class);
  }
}
