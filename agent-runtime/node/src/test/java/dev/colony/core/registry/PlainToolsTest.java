package dev.colony.core.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.capability.CapabilityType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Plain objects whose methods are tools: how they travel, and what is refused. */
class PlainToolsTest {

  private static final AgentTypes TYPES = AgentTypes.of(List.of(types -> types.add(Named.class)));

  record Term(@Param("the word to look up") String term) {}

  static class Base {
    @ActionExecutor
    String shout(@Param(value = "said aloud", name = "text") String said) {
      return said.toUpperCase(java.util.Locale.ROOT);
    }
  }

  static final class Glossary extends Base {
    @ActionExecutor(summary = "Looks a word up.")
    String lookUp(Term term) {
      return "meaning of " + term.term();
    }
  }

  record Words(Map<String, String> meanings) {
    @ActionExecutor
    String lookUp(Term term) {
      return meanings.get(term.term());
    }
  }

  @Registered("test.named")
  static final class Named {
    @ActionExecutor
    String lookUp(Term term) {
      return term.term();
    }
  }

  static final class Nothing {
    String lookUp(Term term) {
      return term.term();
    }
  }

  static final class Unreadable {
    @ActionExecutor
    String lookUp(Thread thread) {
      return thread.getName();
    }
  }

  static final class Busy {
    @ActionExecutor
    String lookUp(Term term) {
      return term.term();
    }

    @Background(effect = "looks", every = "1s")
    void look() {}
  }

  class Inner {
    @ActionExecutor
    String lookUp(Term term) {
      return term.term();
    }
  }

  private static AgentCapability made(Blueprint blueprint) throws Exception {
    JsonNode travels = new ObjectMapper().readTree(blueprint.toJson().toString());
    Blueprint arrived = Blueprint.fromJson(travels);
    TYPES.check(AgentCapability.class, arrived);
    return TYPES.create(
        AgentCapability.class, arrived, TestAgent.named("any").capabilityContext("words"));
  }

  private static Object called(AgentCapability capability, String key, String params)
      throws Exception {
    ActionProvider provider = CapabilityType.provider(capability, Duration.ofMinutes(1));
    return provider.execute(
        key,
        (com.fasterxml.jackson.databind.node.ObjectNode) new ObjectMapper().readTree(params),
        null);
  }

  @Test
  void aClassTravelsByItsNameAndItsMethodsAreActions() throws Exception {
    Blueprint tools = TYPES.tools(new Glossary());
    assertThat(tools.toJson().toString())
        .isEqualTo(
            "{\"type\":\"dev.colony.core.registry.PlainToolsTest.Glossary\",\"version\":1,\"args\":{}}");
    AgentCapability capability = made(tools);
    assertThat(called(capability, "words.look_up", "{\"term\":\"bow\"}"))
        .isEqualTo("meaning of bow");
    assertThat(called(capability, "words.shout", "{\"text\":\"ahoy\"}")).isEqualTo("AHOY");
  }

  @Test
  void theComponentsOfARecordAreTheParameters() {
    ActionDescription action =
        CapabilityType.of(Glossary.class).actions("words", Duration.ofMinutes(1)).stream()
            .filter(one -> one.key().equals("words.look_up"))
            .findFirst()
            .orElseThrow();
    assertThat(action.parameters().at("/properties/term/description").asText())
        .isEqualTo("the word to look up");
    assertThat(action.parameters().at("/required/0").asText()).isEqualTo("term");
    ActionProvider provider =
        CapabilityType.provider(
            new CapabilityType.Tools(
                TestAgent.named("any").capabilityContext("words"), new Glossary()),
            Duration.ofMinutes(1));
    assertThat(provider.violations("words.look_up", new ObjectMapper().createObjectNode()))
        .singleElement()
        .asString()
        .contains("term");
  }

  @Test
  void aRecordTravelsWithItsComponents() throws Exception {
    AgentCapability capability = made(TYPES.tools(new Words(Map.of("bow", "the front"))));
    assertThat(called(capability, "words.look_up", "{\"term\":\"bow\"}")).isEqualTo("the front");
  }

  @Test
  void aRegisteredClassTravelsUnderItsName() throws Exception {
    assertThat(TYPES.tools(new Named()).type()).isEqualTo("test.named");
    assertThat(called(made(Blueprint.of("test.named")), "words.look_up", "{\"term\":\"bow\"}"))
        .isEqualTo("bow");
    assertThat(TYPES.names(AgentCapability.class)).containsExactly("test.named");
  }

  @Test
  void whatOffersNoToolsIsRefusedWhereItIsGiven() {
    refused(new Nothing(), "Nothing offers no tool: annotate a method with @ActionExecutor");
    refused(new Unreadable(), "Unreadable.lookUp");
    refused(new Unreadable(), "java.lang.Thread cannot be read from JSON");
    refused(new Busy(), "Busy handles events or works in the background: let it extend");
    refused(new Inner(), "make it a top-level or static class");
  }

  private static void refused(Object tools, String why) {
    assertThatThrownBy(() -> TYPES.tools(tools))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .message()
        .doesNotContain("\n");
  }

  @Test
  void aNameOfAStrangerFindsNoOtherClass() {
    for (String name :
        List.of("java.lang.Runtime", "dev.colony.core.registry.AgentTypes", "com.example.Gone")) {
      assertThatThrownBy(() -> TYPES.check(AgentCapability.class, Blueprint.of(name)))
          .isInstanceOf(AgentException.class)
          .hasMessageContaining("this node has no class " + name + " with @ActionExecutor methods");
    }
  }

  @Test
  void whatOnlyAProgramCanMakeIsKnown() {
    TYPES.checkMakeable(CapabilityBlueprint.of(TYPES.tools(new Glossary())));
    assertThatThrownBy(
            () -> TYPES.checkMakeable(CapabilityBlueprint.of(TYPES.tools(new Given("any")))))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("no node can make the tools");
  }

  static final class Given {
    private final String word;

    Given(String word) {
      this.word = word;
    }

    @ActionExecutor
    String lookUp() {
      return word;
    }
  }
}
