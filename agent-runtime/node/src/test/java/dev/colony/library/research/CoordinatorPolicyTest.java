package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Decision;
import dev.colony.blackboard.Write;
import java.util.List;
import org.junit.jupiter.api.Test;

class CoordinatorPolicyTest {

  private static final Question QUESTION = new Question("where is it?", "map-1");
  private static final Evidence FIRST = evidence("A.java", 3, "class A {");
  private static final Evidence SECOND = evidence("B.java", 9, "  class B {");
  private static final ActionResult ROUTED =
      ActionResult.succeeded(
          "route",
          Json.of(
              List.of(
                  new Route(
                      "acme/lab/analyst-1",
                      List.of("a".repeat(26)),
                      List.of(new Route.Passage("a".repeat(26), "A.java", 1, 60, 1.0))))));
  private static final String BOTH =
      "{\"answer\":\"In B.\",\"citations\":[{\"evidence\":2},{\"evidence\":7}]}";

  private final Desk desk = new Desk();
  private final CoordinatorPolicy policy = new CoordinatorPolicy(desk.context);

  @Test
  void routesThenConsults() {
    Action first = ((Decision.Act) policy.planStep(desk.run(QUESTION, 0))).action();
    Action second = ((Decision.Act) policy.planStep(desk.run(QUESTION, 1, ROUTED))).action();

    assertThat(first.key()).isEqualTo(CoordinatorCapability.ROUTE);
    assertThat(second.key()).isEqualTo(CoordinatorCapability.CONSULT);
    JsonNode given = desk.context.dispatcher().resolve(second.params());
    assertThat(given.path("question").asText()).isEqualTo("where is it?");
    assertThat(given.path("routes")).isEqualTo(ROUTED.output());
  }

  @Test
  void readsWhatIsTooMuchForTheJournalWhereTheDispatcherKeepsIt() {
    desk.context
        .agent()
        .blackboard(desk.context.agent().id().scope().namespace("results"))
        .write(Write.of("r-1:consult", consultation(List.of()).output()))
        .toCompletableFuture()
        .join();
    ActionResult preview =
        consultation(List.of()).stored("r-1:consult", JsonNodeFactory.instance.textNode("{..."));

    Answer answer = answer(policy.planStep(desk.run(QUESTION, 2, ROUTED, preview)));

    assertThat(answer.analysts()).isEqualTo(1);
  }

  @Test
  void aQuestionThatLooksLikeAReferenceStandsForItself() {
    Question odd = new Question("$map", "map-1");
    Action first = ((Decision.Act) policy.planStep(desk.run(odd, 0))).action();

    assertThat(desk.context.dispatcher().resolve(first.params())).isEqualTo(Json.of(odd));
  }

  @Test
  void numbersTheEvidenceForTheModel() {
    desk.answering(BOTH);

    policy.planStep(consulted(List.of(FIRST, SECOND)));

    assertThat(desk.asked.getFirst().suffix())
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
    desk.answering(BOTH);

    Answer answer = answer(policy.planStep(consulted(List.of(FIRST, SECOND))));

    assertThat(answer.answer()).isEqualTo("In B.");
    assertThat(answer.citations()).containsExactly(SECOND);
    assertThat(answer.analysts()).isEqualTo(1);
  }

  @Test
  void saysSoWhereThereIsNoEvidenceAndAsksNoModel() {
    Answer answer = answer(policy.planStep(consulted(List.of())));

    assertThat(answer.citations()).isEmpty();
    assertThat(answer.answer()).isNotBlank();
    assertThat(desk.asked).isEmpty();
  }

  @Test
  void failsWithTheReasonOfAFailedAction() {
    Decision decision =
        policy.planStep(desk.run(QUESTION, 1, ActionResult.failed("route", "no map")));

    assertThat(((Decision.Fail) decision).error().message()).isEqualTo("no map");
  }

  private ActionPolicyExecutionState consulted(List<Evidence> evidence) {
    return desk.run(QUESTION, 2, ROUTED, consultation(evidence));
  }

  private static ActionResult consultation(List<Evidence> evidence) {
    return ActionResult.succeeded(
        "consult",
        Json.of(
            new Consultation(
                evidence, 1, List.of(), RunStats.NONE.toJson(), 1, UnreadReasons.NONE)));
  }

  private static Answer answer(Decision decision) {
    return Answer.fromJson(((Decision.Complete) decision).output().finalResult());
  }

  private static Evidence evidence(String file, int line, String text) {
    return new Evidence(file, line, line, text, 1.0, "a".repeat(26), "acme/lab/analyst-1", "call-1");
  }
}
