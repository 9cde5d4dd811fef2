package dev.colony.agent.author;

import static dev.colony.library.policy.PolicyRun.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.colony.agent.RunRequest;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyInput;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.library.policy.PolicyRun;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ActionPolicyIOTest {

  private static final ActionPolicyIO IO =
      ActionPolicyIO.builder()
          .input("query", String.class)
          .optionalInput("max_results", int.class)
          .output("page_ids", new TypeReference<List<String>>() {}.getType())
          .optionalOutput("analysis", json("{\"type\": \"object\"}"))
          .build();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'query': 'x'}",
        "{'query': 'x', 'max_results': 3, 'more': [1]}",
      })
  void anInputThatFitsIsTaken(String input) {
    assertThat(IO.wrongInput(json(input.replace('\'', '"')))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | input query: is missing",
        "{'query': 3} | input query: ",
        "{'query': 'x', 'max_results': 'three'} | input max_results: ",
        "'x' | input must be an object with the fields [max_results, query]",
        "null | input must be an object",
      })
  void anInputThatDoesNotFitIsRefusedByTheFieldsName(String input, String error) {
    String json = input.startsWith("{") ? input.replace('\'', '"') : "\"" + input + "\"";
    assertThat(IO.wrongInput(json(json))).get().asString().startsWith(error);
  }

  @Test
  void everyWrongFieldIsNamed() {
    assertThat(IO.wrongInput(json("{\"query\": 1, \"max_results\": \"x\"}")))
        .get()
        .asString()
        .contains("input query: ", "input max_results: ");
  }

  @Test
  void anOutputIsHeldAgainstItsDeclaration() {
    assertThat(IO.wrongOutput(json("{\"page_ids\": [\"a\"], \"analysis\": {}}"))).isEmpty();
    assertThat(IO.wrongOutput(json("{\"page_ids\": [1]}")))
        .get()
        .asString()
        .startsWith("output page_ids: ");
    assertThat(IO.wrongOutput(json("{\"analysis\": {}}"))).contains("output page_ids: is missing");
  }

  @Test
  void whereNothingIsDeclaredAnythingGoes() {
    assertThat(ActionPolicyIO.ANYTHING.wrongInput(json("[1]"))).isEmpty();
    assertThat(ActionPolicyIO.ANYTHING.wrongOutput(json("null"))).isEmpty();
    assertThat(ActionPolicyIO.ANYTHING.resultSchema()).isEmpty();
  }

  @Test
  void theResultsSchemaAsksForTheRequiredOutputs() {
    assertThat(IO.resultSchema().path("required")).isEqualTo(json("[\"page_ids\"]"));
    assertThat(IO.resultSchema().path("properties").has("analysis")).isTrue();
  }

  @Test
  void aFieldDeclaredTwiceAndASchemaThatIsNoneAreRefused() {
    ActionPolicyIO.Builder builder = ActionPolicyIO.builder().input("query", String.class);
    assertThatThrownBy(() -> builder.optionalInput("query", int.class))
        .hasMessage("the field query is declared twice");
    assertThatThrownBy(() -> builder.input("other", json("{\"type\": 3}")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no JSON schema");
  }

  @Test
  void goalsConstraintsAndInitialContextAreReadAndTheOthersKept() {
    ActionPolicyInput input =
        input(
            """
            {"goals": ["a", "b"], "constraints": "be brief", "initialContext": {"at": 1},
             "query": "x"}
            """);
    assertThat(input.goals()).containsExactly("a", "b");
    assertThat(input.constraints()).containsExactly("be brief");
    assertThat(input.initialContext()).isEqualTo(json("{\"at\": 1}"));
    assertThat(input.fields()).isEqualTo(json("{\"query\": \"x\"}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'goals': 3} | goals: must be a text or a list of texts, not a number",
        "{'goals': ['a', 3]} | goals: must be a list of texts, but holds a number",
        "{'constraints': null} | constraints: must be a text or a list of texts, not null",
        "{'goals': {'a': 'b'}} | goals: must be a text or a list of texts, not an object",
        "{'initialContext': []} | initialContext: must be an object, not a list",
      })
  void fieldsOfTheInputThatAreSomethingElseAreRefusedByName(String input, String error) {
    assertThatThrownBy(() -> input(input.replace('\'', '"'))).hasMessage(error);
  }

  @Test
  void anInputThatIsATextIsTheGoalAndAnyOtherTheFieldInput() {
    assertThat(input("\"say hello\"").goals()).containsExactly("say hello");
    assertThat(input("\"say hello\"").fields()).isEmpty();
    for (String other : List.of("[1, \"two\"]", "3", "true")) {
      assertThat(input(other).goals()).as(other).isEmpty();
      assertThat(input(other).fields()).isEqualTo(json("{\"input\": " + other + "}"));
    }
    for (String none : List.of("null", "\" \"")) {
      assertThat(input(none)).as(none).isEqualTo(ActionPolicyInput.NONE);
    }
  }

  private static ActionPolicyInput input(String json) {
    RunRequest request =
        new RunRequest(
            TestAgent.named("a").context(), "requests", json(json), "test", PolicyRun.AT);
    return ActionPolicyInput.of(request);
  }
}
