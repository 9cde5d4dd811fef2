package dev.colony.library.research;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Decision;
import dev.colony.blackboard.Write;
import dev.colony.library.research.Answer.UnreadReasons;
import dev.colony.library.research.CoordinatorCapability.Consultation;
import dev.colony.library.research.QuestionRouter.Route;
import dev.colony.library.research.ResearchTypes.Json;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
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
      "{\"keep\":[1,2,9],\"gaps\":[],\"answer\":\"In B [2], see B.java:9 and C.java:7 [7].\","
          + "\"citations\":[{\"evidence\":2},{\"evidence\":7}],"
          + "\"uncertain\":[\"that it is all\"],\"notRead\":[\"D.java\"]}";
  private static final String GAP =
      "{\"keep\":[1],\"gaps\":[{\"question\":\"who calls it?\",\"queries\":[\"Caller call\"]}]}";

  private final Desk desk = new Desk();
  private final CoordinatorPolicy policy =
      new CoordinatorPolicy(desk.context, CoordinatorPolicy.Args.DEFAULT);

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

    desk.answering("{\"keep\":[],\"gaps\":[]}");
    Answer answer = answer(policy.planStep(desk.run(QUESTION, 2, ROUTED, preview)));

    assertThat(answer.analysts()).isEqualTo(1);
  }

  @Test
  void aQuestionThatLooksLikeAReferenceStandsForItself() {
    Question odd = new Question("$map", "map-1");
    Action first = ((Decision.Act) policy.planStep(desk.run(odd, 0))).action();

    JsonNode given = desk.context.dispatcher().resolve(first.params());
    assertThat(given.path("text").asText()).isEqualTo("$map");
    assertThat(given.path("map").asText()).isEqualTo("map-1");
  }

  @Test
  void asksForWordsFirstAndGivesThemToTheIndexAndToTheAnalysts() {
    desk.answering("{\"queries\":[\"TreeMap put\",\" \",\"$node\"]}");
    ActionPolicyExecutionState state = desk.run(QUESTION, 0);

    Action first = ((Decision.Act) policy.planStep(state)).action();
    Action second =
        ((Decision.Act) policy.planStep(desk.run(QUESTION, 1, state.custom(), ROUTED))).action();

    assertThat(desk.asked.getFirst().suffix()).endsWith("Question: where is it?");
    assertThat(desk.context.dispatcher().resolve(first.params()).path("queries"))
        .isEqualTo(Json.of(List.of("TreeMap put", "$node")));
    assertThat(desk.context.dispatcher().resolve(second.params()).path("words"))
        .isEqualTo(Json.of(List.of("TreeMap put", "$node")));
  }

  @Test
  void showsTheModelNumberedPassagesToJudgeAndToComposeFrom() {
    desk.answering(BOTH);

    policy.planStep(consulted(List.of(FIRST, SECOND)));

    assertThat(desk.asked).hasSize(2);
    assertThat(desk.asked.get(0).suffix())
        .endsWith(
            """
            Passages:
            [1] A.java:3:
            > class A {
            [2] B.java:9:
            >   class B {
            Question: where is it?\
            """);
    assertThat(desk.asked.get(1).suffix())
        .as("in the code around them")
        .endsWith(
            """
            Evidence:
            [1] A.java:3:
              package a;
            \s\s
            > class A {
              }
            [2] B.java:9:
            >   class B {
              10\t  }
            Question: where is it?\
            """);
  }

  @Test
  void passagesThatAreTooLongForTheModelAreShownShorterAndKeepTheirNumbers() {
    List<Evidence> many =
        IntStream.range(0, 15)
            .mapToObj(i -> {
              int first = 1 + i * 60;
              String text = "class A { int a%d; }\n".formatted(i).repeat(50).strip();
              return new Evidence(
                  "A.java", first, first + 49, text, 1.0, "a".repeat(26), "acme/lab/a", "call-1");
            })
            .toList();
    desk.refusingAbove(5000)
        .answering(BOTH.replace("\"keep\":[1,2,9]", "\"keep\":[1,2,3,4,5,6,7,8,9,10]"));

    Answer answer = answer(policy.planStep(consulted(many)));

    assertThat(desk.names).containsExactly("judge", "judge-short", "compose", "compose-short");
    assertThat(desk.asked.get(1).suffix())
        .contains("[1] A.java:1-50:", "[15] A.java:841-890:", "Question: where is it?");
    assertThat(desk.tokens(desk.asked.getLast())).isLessThanOrEqualTo(5000);
    assertThat(answer.citations()).contains(many.get(1));
  }

  @Test
  void citesWhatTheModelNamesAndNothingElse() {
    desk.answering(BOTH);

    Answer answer = answer(policy.planStep(consulted(List.of(FIRST, SECOND))));

    assertThat(answer.answer()).isEqualTo("In B [B.java:9], see B.java:9 and C.java .");
    assertThat(answer.citations()).containsExactly(SECOND);
    assertThat(answer.dropped()).as("a place that nothing shows").isEqualTo(1);
    assertThat(answer.uncertain()).containsExactly("that it is all");
    assertThat(answer.notRead()).containsExactly("D.java");
    assertThat(answer.analysts()).isEqualTo(1);
    assertThat(answer.rounds()).isEqualTo(1);
  }

  @Test
  void asksAgainForWhatIsMissingInPagesThatWereNotReadAndComposesFromBothRounds() {
    desk.answering(GAP);
    ActionPolicyExecutionState state = consulted(List.of(FIRST));

    Action route = ((Decision.Act) policy.planStep(state)).action();

    assertThat(route.actionId()).isEqualTo("route-2");
    JsonNode given = desk.context.dispatcher().resolve(route.params());
    assertThat(given.path("text").asText()).isEqualTo("who calls it?");
    assertThat(given.path("queries")).isEqualTo(Json.of(List.of("Caller call")));
    assertThat(given.path("without")).isEqualTo(Json.of(List.of("a".repeat(26))));
    ActionResult again = ActionResult.succeeded("route-2", ROUTED.output());
    Action consult =
        ((Decision.Act)
                policy.planStep(
                    desk.run(
                        QUESTION, 3, state.custom(), ROUTED, consultation(List.of(FIRST)), again)))
            .action();
    assertThat(consult.actionId()).isEqualTo("consult-2");
    assertThat(consult.params().path("open").asText()).isEqualTo("who calls it?");

    desk.answering(BOTH);
    ActionResult found =
        ActionResult.succeeded("consult-2", consultation(List.of(SECOND)).output());
    Answer answer =
        answer(
            policy.planStep(
                desk.run(
                    QUESTION,
                    4,
                    state.custom(),
                    ROUTED,
                    consultation(List.of(FIRST)),
                    again,
                    found)));
    assertThat(answer.citations()).containsExactly(SECOND);
    assertThat(answer.rounds()).isEqualTo(2);
    assertThat(answer.analysts()).isEqualTo(2);
  }

  @Test
  void goesOnWithoutALaterRoundThatFails() {
    desk.answering(BOTH);

    Answer answer =
        answer(
            policy.planStep(
                desk.run(
                    QUESTION,
                    3,
                    ROUTED,
                    consultation(List.of(FIRST, SECOND)),
                    ActionResult.failed("route-2", "no map"))));

    assertThat(answer.citations()).containsExactly(SECOND);
  }

  @Test
  void saysSoWhereNoPassageAnswersAndComposesNothing() {
    desk.answering("{\"keep\":[],\"gaps\":[]}");

    Answer answer = answer(policy.planStep(consulted(List.of(FIRST))));

    assertThat(answer.citations()).isEmpty();
    assertThat(answer.answer()).isEqualTo("Nothing in the pages speaks to the question.");
    assertThat(desk.asked).as("to judge, not to compose").hasSize(1);
  }

  @Test
  void routesByTheQuestionAloneWhereNoModelGivesWords() {
    Decision decision = policy.planStep(desk.run(QUESTION, 0));

    Action route = ((Decision.Act) decision).action();
    assertThat(desk.context.dispatcher().resolve(route.params()).path("queries"))
        .as("none, so that the action asks for none")
        .isEqualTo(Json.of(List.of()));
  }

  /** As a planner does, which knows of no judge. */
  @Test
  void theActionThatComposesJudgesFirst() {
    desk.answering(
        "{\"keep\":[2],\"gaps\":[{\"question\":\"who calls it?\",\"queries\":[]}],"
            + "\"answer\":\"In B [1].\",\"citations\":[{\"evidence\":1}],"
            + "\"uncertain\":[],\"notRead\":[]}");
    Agent agent = desk.context.agent();
    CoordinatorCapability capability =
        new CoordinatorCapability(
            new CapabilityContext(
                Optional.of(agent), "research", agent.blackboard(agent.id().scope())),
            new CoordinatorCapability.Limits(12, 6, 30));

    Answer answer =
        capability.compose(
            QUESTION.text(),
            Json.read(consultation(List.of(FIRST, SECOND)).output(), Consultation.class));

    assertThat(answer.citations()).containsExactly(SECOND);
    assertThat(desk.asked).hasSize(2);
    assertThat(desk.asked.getLast().suffix()).contains("who calls it?").doesNotContain("A.java");
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
                evidence,
                1,
                List.of(),
                RunStats.NONE.toJson(),
                1,
                UnreadReasons.NONE,
                0,
                List.of("a".repeat(26)))));
  }

  private static Answer answer(Decision decision) {
    return Answer.fromJson(((Decision.Complete) decision).output().finalResult());
  }

  private static Evidence evidence(String file, int line, String text) {
    return new Evidence(
        file, line, line, text, 1.0, "a".repeat(26), "acme/lab/analyst-1", "call-1");
  }
}
