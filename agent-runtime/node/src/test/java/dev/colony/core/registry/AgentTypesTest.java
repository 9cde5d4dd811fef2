package dev.colony.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Hookable;
import dev.colony.agent.author.Registered;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.registry.Counted.Rules;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgentTypesTest {

  private final AgentTypes types = TestTypes.ALL;
  private final CapabilityContext context = TestAgent.named("a").capabilityContext("counted");
  private final Blueprint good = types.bind(Counted.class, Rules.of("owasp", 20));

  @BeforeEach
  void nothingMade() {
    Counted.MADE.set(0);
  }

  @Test
  void whatIsBoundIsMadeOnAnotherNode() throws Exception {
    Rules rules =
        new Rules(
            "owasp",
            20,
            Optional.empty(),
            Map.of("high", 2.0, "low", 0.5),
            Set.of("b", "a"),
            List.of(good),
            Long.MAX_VALUE);
    Blueprint bound = types.bind(Counted.class, rules);
    assertThat(Counted.MADE).hasValue(0);
    Blueprint travelled = Blueprint.fromJson(json(bound.toJson().toString()));
    assertThat(travelled).isEqualTo(bound);
    AgentCapability made = types.create(AgentCapability.class, travelled, context);
    assertThat(made).isInstanceOf(Counted.class);
    assertThat(((Counted) made).rules).isEqualTo(rules);
    assertThat(Counted.MADE).hasValue(1);
  }

  @Test
  void aTypeWithoutArgumentsIsBoundByItself() {
    Blueprint plain = types.bind(TestTypes.Plain.class);
    assertThat(types.create(AgentCapability.class, plain, context))
        .isInstanceOf(TestTypes.Plain.class);
    assertThatThrownBy(() -> types.bind(Counted.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("required property 'ruleset' not found");
  }

  @Test
  void whatCannotBeBoundIsRefusedAtOnceOnOneLine() {
    refused("is not registered", () -> types.bind(AgentTypesTest.class, "x"));
    refused(
        "test.counted takes a " + Rules.class.getName() + ", not a java.lang.String",
        () -> types.bind(Counted.class, "owasp"));
    refused("test.counted takes a ", () -> types.bind(Counted.class, null));
    refused(
        "test.plain takes no arguments, not a ",
        () -> types.bind(TestTypes.Plain.class, Rules.of("owasp", 1)));
    refused(
        "$.maxFindings: must have a maximum value of 100",
        () -> types.bind(Counted.class, Rules.of("owasp", 101)));
    refused("more than 65536", () -> types.bind(Counted.class, Rules.of("x".repeat(70_000), 1)));
    refused(
        "java.lang.Runnable cannot be read from JSON",
        () -> types.bind(TestTypes.Unwritable.class, new TestTypes.Unwritable.Args(() -> {})));
    refused(
        "do not come back from JSON as they were",
        () -> types.bind(TestTypes.Forgetful.class, new TestTypes.Forgetful.Args(1)));
    refused("half a surrogate pair", () -> types.bind(Counted.class, Rules.of("x" + '\ud800', 1)));
    refused(
        "a number that JSON does not have",
        () ->
            types.bind(
                Counted.class,
                new Rules(
                    "x", 1, Optional.empty(), Map.of("a", Double.NaN), Set.of(), List.of(), 0)));
    refused(
        "no type nobody is registered here; there are [colony.event-driven, ",
        () ->
            types.bind(
                Counted.class,
                new Rules(
                    "x",
                    1,
                    Optional.empty(),
                    Map.of(),
                    Set.of(),
                    List.of(Blueprint.of("nobody")),
                    0)));
    assertThat(Counted.MADE).hasValue(0);
  }

  @Test
  void oldArgumentsAreBroughtForwardStepByStep() {
    Blueprint first = new Blueprint("test.counted", 1, json("{'rules': 'owasp'}"));
    for (int again = 0; again < 2; again++) {
      AgentCapability made = types.create(AgentCapability.class, first, context);
      assertThat(((Counted) made).rules).isEqualTo(Rules.of("owasp", 10));
    }
    types.check(
        AgentCapability.class, new Blueprint("test.counted", 2, json("{'ruleset': 'owasp'}")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          test.counted | 4 | {} | is known here up to version 3, not 4: it was bound by a newer
          test.counted | 1 | {'ruleset': 1, 'rules': 2} | ruleset: integer found, string expected
          test.counted | 1 | [] | cannot be brought from version 1 to 2
          test.renewed | 1 | {'name': 'n'} | version 1 of test.renewed is no longer understood
          test.plain | 1 | {'a': 1} | property 'a' is not defined in the schema and the schema does not allow additional
          test.plain | 1 | [] | the arguments of test.plain do not fit: array found, object expected
          test.idle | 1 | {} | test.idle is registered here, but is no AgentCapability
          java.lang.Runtime | 1 | {} | no AgentCapability java.lang.Runtime is registered here
          test.counted | 3 | 'x' | string found, object expected
          test.counted | 3 | null | null found, object expected
          """)
  void aBlueprintThatDoesNotFitIsRefusedAndNothingIsMade(
      String type, int version, String args, String why) {
    Blueprint hostile = new Blueprint(type, version, json(args));
    for (Runnable use :
        List.<Runnable>of(
            () -> types.check(AgentCapability.class, hostile),
            () -> types.create(AgentCapability.class, hostile, context))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(AgentException.class)
          .message()
          .contains(why)
          .doesNotContain("\n");
    }
    assertThat(Counted.MADE).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'ruleset': 'forbidden', %s}",
        "{'ruleset': 'r', 'more': 1, %s}",
        "{'ruleset': 'r', '@class': 'java.lang.ProcessBuilder', %s}",
        "{'ruleset': 'r', '@type': 'java.lang.ProcessBuilder', %s}",
        "{'ruleset': ['java.lang.ProcessBuilder', {'command': ['id']}], %s}",
        "{'ruleset': {'@class': 'java.net.URL'}, %s}",
        "{'ruleset': null, %s}",
        "{'ruleset': 'r', 'effect': 'java.lang.Runtime', %s}",
        "{'ruleset': 'r', 'effect': 0, %s}",
        "{'ruleset': 'r', 'maxFindings': 1e308, 'since': 0, 'weights': {}, 'tags': [],"
            + " 'filters': []}",
        "{'ruleset': 'r', 'maxFindings': '5', 'since': 0, 'weights': {}, 'tags': [],"
            + " 'filters': []}",
        "{'ruleset': 'r', 'maxFindings': 1, 'since': 0.5, 'weights': {}, 'tags': [],"
            + " 'filters': []}",
        "{'ruleset': 'r', 'maxFindings': 1, 'since': 0, 'weights': {}, 'tags': [],"
            + " 'filters': [{'type': 'nobody'}]}",
        "{'ruleset': 'r', 'maxFindings': 1, 'since': 0, 'weights': {}, 'tags': [],"
            + " 'filters': [{'type': 'test.plain', 'args': {'a': 1}}]}",
        "{'ruleset': 'r', 'maxFindings': 1, 'since': 0, 'weights': {}, 'tags': [],"
            + " 'filters': [{'type': 'test.plain', 'class': 'x'}]}"
      })
  void hostileArgumentsMakeNothing(String args) {
    String rest = "'maxFindings': 1, 'since': 0, 'weights': {}, 'tags': [], 'filters': []";
    Blueprint hostile = new Blueprint("test.counted", 3, json(args.formatted(rest)));
    assertThatThrownBy(() -> types.create(AgentCapability.class, hostile, context))
        .isInstanceOf(AgentException.class)
        .message()
        .doesNotContain("\n");
    assertThat(Counted.MADE).hasValue(0);
  }

  @Test
  void whatAConstructorAsksForOrRefusesIsTold() {
    assertThatThrownBy(
            () -> types.create(AgentCapability.class, Blueprint.of("test.demanding"), context))
        .isInstanceOf(AgentException.class)
        .hasMessage("test.demanding asks for a java.lang.Runnable, which is not given here");
    Runnable given = () -> {};
    assertThat(types.create(AgentCapability.class, Blueprint.of("test.demanding"), given, context))
        .isInstanceOf(TestTypes.Demanding.class);
    assertThatThrownBy(
            () -> types.create(AgentCapability.class, Blueprint.of("test.refusing"), context))
        .isInstanceOf(AgentException.class)
        .hasMessage("test.refusing could not be made: not today");
  }

  @Test
  void aWholeAgentIsCheckedBeforeAnythingIsMade() {
    AgentBlueprint agent =
        AgentBlueprint.of(types.bind(TestTypes.Idle.class), good)
            .capability(
                CapabilityBlueprint.of(good)
                    .key("second")
                    .include("second.check", "report_generate")
                    .exclude("report_generate"))
            .stream(stream(Blueprint.of("stream.not")));
    assertThatThrownBy(() -> types.check(agent))
        .isInstanceOf(AgentException.class)
        .hasMessage(
            "the stream s is refused: the arguments of stream.not do not fit: required property"
                + " 'filter' not found");
    AgentBlueprint without =
        AgentBlueprint.of(agent.policy(), good).capability(agent.capabilities().get(1));
    assertThatCode(() -> types.check(without)).doesNotThrowAnyException();

    refused(
        "the capability third is refused: it includes the action counted.fly, which it does not"
            + " have; it has [report_generate, third.check]",
        without,
        one -> one.include("counted.fly"));
    refused(
        "excludes the action check, which it does not have", without, one -> one.exclude("check"));
    refused(
        "it offers the action report_generate as the capability test.counted does: exclude one",
        without,
        one -> one);
    assertThatThrownBy(() -> types.check(AgentBlueprint.of(good)))
        .isInstanceOf(AgentException.class)
        .hasMessage(
            "the policy is refused: the type test.counted is registered here, but is no"
                + " ActionPolicy");
    assertThatThrownBy(() ->
            types.check(
                AgentBlueprint.of(agent.policy()).stream(
                    new StreamBlueprint("s", good, Map.of(), 20))))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("is no ConsciousnessStreamFormatter");
    assertThat(Counted.MADE).hasValue(0);
  }

  private void refused(String why, AgentBlueprint agent, UnaryOperator<CapabilityBlueprint> third) {
    AgentBlueprint more = agent.capability(third.apply(CapabilityBlueprint.of(good).key("third")));
    assertThatThrownBy(() -> types.check(more))
        .isInstanceOf(AgentException.class)
        .message()
        .contains(why)
        .doesNotContain("\n");
  }

  private static StreamBlueprint stream(Blueprint filter) {
    return new StreamBlueprint(
        "s",
        new Blueprint("stream.conversation", json("{'userContextKey': 'said'}")),
        Map.of("event", filter),
        StreamBlueprint.DEFAULT_MAX_ENTRIES);
  }

  static class Unnamed {}

  @Registered("a class name/with a slash")
  static class Misnamed {}

  @Registered("test.two")
  static class TwoConstructors {
    TwoConstructors() {}

    TwoConstructors(String name) {}
  }

  @Registered("test.inner")
  class Inner {}

  @Registered("test.abstract")
  abstract static class Abstract {}

  @Registered("test.records")
  static class TwoRecords {
    TwoRecords(Rules one, TestTypes.Renewed.Args other) {}
  }

  @Registered("test.final")
  static final class FinalHookable {
    @Hookable
    void step() {}
  }

  @Registered("test.private")
  static class PrivateHookable {
    @Hookable
    private void step() {}
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Unnamed.class,
        Misnamed.class,
        TwoConstructors.class,
        Inner.class,
        Abstract.class,
        TwoRecords.class,
        FinalHookable.class,
        PrivateHookable.class
      })
  void aClassThatCannotBeBoundIsNotRegistered(Class<?> type) {
    assertThatThrownBy(() -> AgentTypes.of(List.of(open -> open.add(type))))
        .isInstanceOf(IllegalStateException.class)
        .message()
        .startsWith(type.getName() + " cannot be bound: ")
        .doesNotContain("\n");
  }

  @Test
  void aNameStandsForOneType() {
    assertThatThrownBy(() -> AgentTypes.of(List.of(new TestTypes(), new TestTypes())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the type test.counted is registered twice");
    assertThat(types.find(ActionPolicy.class, Blueprint.of("test.idle")))
        .isEqualTo(TestTypes.Idle.class);
  }

  private static void refused(String why, Runnable bind) {
    assertThatThrownBy(bind::run)
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .contains(why)
        .doesNotContain("\n");
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException broken) {
      throw new IllegalArgumentException(broken);
    }
  }
}
