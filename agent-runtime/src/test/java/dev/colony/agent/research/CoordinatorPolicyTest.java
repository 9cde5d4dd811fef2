package dev.colony.agent.research;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.ActionOutcome;
import dev.colony.agent.Decision;
import dev.colony.agent.RunStats;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CoordinatorPolicyTest {

  private static final Question QUESTION = new Question("where is it?", "map-1");
  private static final Evidence FIRST = evidence("A.java", 3, "class A {");
  private static final Evidence SECOND = evidence("B.java", 9, "  class B {");
  private static final ActionOutcome ROUTED =
      ActionOutcome.succeeded(
          "route",
          Json.of(
              List.of(
                  new Route(
                      "acme/lab/analyst-1",
                      List.of("a".repeat(26)),
                      Map.of("a".repeat(26), 1.0)))));

  private final CoordinatorPolicy policy = new CoordinatorPolicy();

  @Test
  void routesThenConsults() {
    Decision first = policy.planStep(Views.of(QUESTION, List.of(), Optional.empty()));
    Decision second = policy.planStep(Views.of(QUESTION, List.of(ROUTED), Optional.empty()));

    assertThat(((Decision.Act) first).action().key()).isEqualTo(CoordinatorCapability.ROUTE);
    assertThat(((Decision.Act) second).action().key()).isEqualTo(CoordinatorCapability.CONSULT);
    assertThat(((Decision.Act) second).action().params().path("routes")).isEqualTo(ROUTED.result());
  }

  @Test
  void numbersTheEvidenceForTheModel() {
    Decision decision = policy.planStep(consulted(List.of(FIRST, SECOND), Optional.empty()));

    assertThat(((Decision.Infer) decision).call().suffix())
        .isEqualTo(
            """
            Evidence:
            [1] A.java:3: class A {
            [2] B.java:9: class B {
            Question: where is it?\
            """);
  }

  @Test
  void citesWhatTheModelNamesAndNothingElse() {
    String reply = "{\"answer\":\"In B.\",\"citations\":[{\"evidence\":2},{\"evidence\":7}]}";

    Decision decision = policy.planStep(consulted(List.of(FIRST, SECOND), Optional.of(reply)));

    Answer answer = Answer.fromJson(((Decision.Complete) decision).output());
    assertThat(answer.answer()).isEqualTo("In B.");
    assertThat(answer.citations()).containsExactly(SECOND);
    assertThat(answer.analysts()).isEqualTo(1);
  }

  @Test
  void saysSoWhereThereIsNoEvidence() {
    Decision decision = policy.planStep(consulted(List.of(), Optional.empty()));

    Answer answer = Answer.fromJson(((Decision.Complete) decision).output());
    assertThat(answer.citations()).isEmpty();
    assertThat(answer.answer()).isNotBlank();
  }

  @Test
  void failsWithTheReasonOfAFailedAction() {
    Decision decision =
        policy.planStep(
            Views.of(QUESTION, List.of(ActionOutcome.failed("route", "no map")), Optional.empty()));

    assertThat(decision).isEqualTo(new Decision.Fail("no map"));
  }

  private static dev.colony.agent.RunView consulted(
      List<Evidence> evidence, Optional<String> reply) {
    Consultation consultation = new Consultation(evidence, 1, List.of(), RunStats.NONE.toJson());
    return Views.of(
        QUESTION,
        List.of(ROUTED, ActionOutcome.succeeded("consult", Json.of(consultation))),
        reply);
  }

  private static Evidence evidence(String file, int line, String text) {
    return new Evidence(file, line, text, 1.0, "a".repeat(26), "acme/lab/analyst-1", "call-1");
  }
}
