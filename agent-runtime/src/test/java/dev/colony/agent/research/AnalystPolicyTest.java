package dev.colony.agent.research;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.Decision;
import dev.colony.agent.ModelFailure;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AnalystPolicyTest {

  private static final String FIRST = "a".repeat(26);
  private static final String SECOND = "b".repeat(26);
  private static final Assignment TWO_PAGES =
      new Assignment("where is it?", List.of(FIRST, SECOND));
  private static final Evidence FOUND =
      new Evidence("A.java", 3, "class A {", 2.5, FIRST, "acme/lab/tested", "call-1");

  private final AnalystPolicy policy = new AnalystPolicy();

  @Test
  void asksTheModelAboutTheFirstPageAlone() {
    Decision decision = policy.planStep(Views.of(TWO_PAGES, List.of(), Optional.empty()));

    assertThat(decision)
        .isInstanceOfSatisfying(
            Decision.Infer.class,
            infer -> {
              assertThat(infer.call().pages()).containsExactly(new PageId(FIRST));
              assertThat(infer.call().suffix()).endsWith("Question: where is it?");
              assertThat(infer.call().schema()).isPresent();
            });
  }

  @Test
  void hasTheQuotesOfTheReplyChecked() {
    String reply = "{\"evidence\":[{\"file\":\"A.java\",\"line\":3,\"text\":\"class A {\"}]}";

    Decision decision = policy.planStep(Views.of(TWO_PAGES, List.of(), Optional.of(reply)));

    assertThat(decision)
        .isInstanceOfSatisfying(
            Decision.Act.class,
            act -> {
              assertThat(act.action().key()).isEqualTo(AnalystCapability.CHECK_QUOTES);
              assertThat(act.action().params().path("page").asText()).isEqualTo(FIRST);
              assertThat(act.action().params().path("modelCall").asText()).isEqualTo("call-1");
              assertThat(act.action().params().path("quotes")).hasSize(1);
            });
  }

  @Test
  void goesOnToTheNextPage() {
    Decision decision = policy.planStep(Views.of(TWO_PAGES, found(FOUND), Optional.empty()));

    assertThat(((Decision.Infer) decision).call().pages()).containsExactly(new PageId(SECOND));
  }

  @Test
  void completesWithTheStrongestEvidenceFirst() {
    Evidence stronger =
        new Evidence("B.java", 9, "class B {", 7.0, SECOND, "acme/lab/tested", "call-2");
    List<ActionOutcome> outcomes =
        List.of(
            ActionOutcome.succeeded("page-0", Json.of(List.of(FOUND))),
            ActionOutcome.succeeded("page-1", Json.of(List.of(stronger))));

    Decision decision = policy.planStep(Views.of(TWO_PAGES, outcomes, Optional.empty()));

    assertThat(findings(decision)).isEqualTo(new Findings(List.of(stronger, FOUND), List.of()));
  }

  @Test
  void namesThePageThatNoModelAnsweredFor() {
    Decision skipped =
        policy.onModelFailure(
            Views.of(TWO_PAGES, List.of(), Optional.empty()), new ModelFailure("gone", true));
    assertThat(((Decision.Act) skipped).action().params().path("unread").asText())
        .isEqualTo("gone");
    List<ActionOutcome> outcomes =
        List.of(
            ActionOutcome.failed("page-0", "gone"),
            ActionOutcome.succeeded("page-1", Json.of(List.of())));

    Decision decision = policy.planStep(Views.of(TWO_PAGES, outcomes, Optional.empty()));

    assertThat(findings(decision)).isEqualTo(new Findings(List.of(), List.of(FIRST)));
  }

  @Test
  void failsWhereNoPageWasAnsweredFor() {
    List<ActionOutcome> outcomes =
        List.of(ActionOutcome.failed("page-0", "one"), ActionOutcome.failed("page-1", "two"));

    Decision decision = policy.planStep(Views.of(TWO_PAGES, outcomes, Optional.empty()));

    assertThat(decision).isEqualTo(new Decision.Fail("two"));
  }

  private static List<ActionOutcome> found(Evidence... evidence) {
    return List.of(ActionOutcome.succeeded("page-0", Json.of(List.of(evidence))));
  }

  private static Findings findings(Decision decision) {
    JsonNode output = ((Decision.Complete) decision).output();
    return Json.read(output, Findings.class);
  }
}
