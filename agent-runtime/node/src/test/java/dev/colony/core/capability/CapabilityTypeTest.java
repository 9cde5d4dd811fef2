package dev.colony.core.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.Protocol;
import dev.colony.core.capability.CapabilityType.BackgroundMethod;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CapabilityTypeTest {

  private static final Duration USUAL = Duration.ofMinutes(10);
  private static final AgentId AGENT = new AgentId("acme", "lab", "a1");

  @Test
  void aClassIsReadOnceAndNothingIsMade() {
    assertThat(CapabilityType.of(Greeter.class)).isSameAs(CapabilityType.of(Greeter.class));
  }

  abstract static class Base extends AgentCapability {
    Base(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "of the base", timeout = "2m", computing = true)
    int inherited() {
      return 1;
    }

    @ActionExecutor(key = "analyze", summary = "of the base")
    int overridden() {
      return 1;
    }
  }

  static final class Derived extends Base {
    Derived(CapabilityContext context) {
      super(context);
    }

    @Override
    @ActionExecutor(
        key = "analyze",
        summary = "of the class",
        reads = "x",
        tags = {"a", "b"})
    int overridden() {
      return 2;
    }

    @ActionExecutor(
        inputSchema = "{\"type\":\"object\",\"properties\":{\"urlText\":{\"maxLength\":3}}}",
        outputSchema = "{\"type\":\"integer\"}")
    int readURLNow(String urlText) {
      return urlText.length();
    }
  }

  @Test
  void inheritedActionsCountOnceAndTheNearestAnnotationHolds() {
    List<ActionDescription> actions = CapabilityType.of(Derived.class).actions("d", USUAL);
    assertThat(actions)
        .extracting(ActionDescription::key)
        .containsExactly("d.inherited", "analyze", "d.read_url_now");
    assertThat(actions.get(0).timeout()).isEqualTo(Duration.ofMinutes(2));
    assertThat(actions.get(0).computing()).isTrue();
    assertThat(actions.get(1).summary()).isEqualTo("of the class");
    assertThat(actions.get(1).reads()).containsExactly("x");
    assertThat(actions.get(1).tags()).containsExactlyInAnyOrder("a", "b");
    assertThat(actions.get(1).timeout()).isEqualTo(USUAL);
    assertThat(actions.get(2).parameters().at("/properties/urlText/maxLength").asInt())
        .isEqualTo(3);
    assertThat(actions.get(2).output().path("type").asText()).isEqualTo("integer");
  }

  @Test
  void aDeclaredSchemaIsHeldAndSoAreTheMethodsOwnTypes() {
    TestAgent agent = TestAgent.named("a1");
    ActionProvider actions =
        CapabilityType.provider(new Derived(agent.capabilityContext("d")), USUAL);
    var params = JsonNodeFactory.instance.objectNode();
    assertThat(actions.violations("d.read_url_now", params.put("urlText", "four"))).hasSize(1);
    assertThat(actions.violations("d.read_url_now", params.put("urlText", 4))).hasSize(1);
    assertThat(actions.violations("d.read_url_now", params.put("urlText", "abc"))).isEmpty();
  }

  @Test
  void patternsAreOfTheAgentAndItsScopeAndItsOwnRunsAreNoneOfThem() {
    CapabilityType type = CapabilityType.of(Greeter.class);
    assertThat(type.wakePatterns(AGENT, AGENT.scope().namespace("hello")))
        .extracting(KeyGlob::pattern)
        .containsExactlyInAnyOrder("greeting:*", "farewell:*", "signal:agent:a1:*", "signal:all:*");
    for (Scope others :
        List.of(
            Scope.agent("acme", "lab", "a2"),
            Scope.colony("acme", "lab"),
            Scope.session("acme", "lab", "a1"))) {
      assertThat(type.wakePatterns(AGENT, others))
          .extracting(KeyGlob::pattern)
          .contains("request:run:*");
    }
  }

  @Test
  void backgroundProcessesAreNamedAndCalled() throws Exception {
    List<BackgroundMethod> processes = CapabilityType.of(Greeter.class).backgrounds();
    assertThat(processes).extracting(BackgroundMethod::name).containsExactly("forget", "breathe");
    assertThat(processes.get(0).effect()).isEqualTo("Forgets old greetings.");
    assertThat(processes.get(0).every()).isEqualTo(Duration.ofSeconds(30));
    Greeter greeter = new Greeter(TestAgent.named("a1").capabilityContext("g"));
    processes.get(0).call(greeter);
    assertThat(greeter.seen).containsExactly("forgets");
    assertThatThrownBy(() -> processes.get(1).call(greeter)).hasMessage("out of breath");
  }

  /** Capabilities that cannot be honoured; each is refused in one line. */
  abstract static class Malformed extends AgentCapability {
    Malformed(CapabilityContext context) {
      super(context);
    }
  }

  abstract static class TwoOfOneKey extends Malformed {
    TwoOfOneKey(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "same")
    void one() {}

    @ActionExecutor(key = "same")
    void two() {}
  }

  abstract static class Overloaded extends Malformed {
    Overloaded(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    void one() {}

    @ActionExecutor
    void one(int x) {}
  }

  abstract static class UnknownType extends Malformed {
    UnknownType(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    void act(Thread thread) {}
  }

  abstract static class BadTimeout extends Malformed {
    BadTimeout(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(timeout = "soon")
    void act() {}
  }

  abstract static class LongTimeout extends Malformed {
    LongTimeout(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(timeout = "25h")
    void act() {}
  }

  abstract static class TooManyAttempts extends Malformed {
    TooManyAttempts(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(attempts = 11)
    void act() {}
  }

  abstract static class AttemptsOfTheUnrepeatable extends Malformed {
    AttemptsOfTheUnrepeatable(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(attempts = 2, retryable = false)
    void act() {}
  }

  abstract static class BadKey extends Malformed {
    BadKey(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(key = "a b")
    void act() {}
  }

  abstract static class BadSchema extends Malformed {
    BadSchema(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(inputSchema = "{\"type\":\"objekt\"}")
    void act() {}
  }

  abstract static class NoJsonSchema extends Malformed {
    NoJsonSchema(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(outputSchema = "int")
    void act() {}
  }

  abstract static class StaticAction extends Malformed {
    StaticAction(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    static void act() {}
  }

  abstract static class HandlerOfNothing extends Malformed {
    HandlerOfNothing(CapabilityContext context) {
      super(context);
    }

    @EventHandler
    void on(String text) {}
  }

  abstract static class HandlerOfTwo extends Malformed {
    HandlerOfTwo(CapabilityContext context) {
      super(context);
    }

    @EventHandler(pattern = "a")
    void on(String text, String other) {}
  }

  abstract static class ManyPatterns extends Malformed {
    ManyPatterns(CapabilityContext context) {
      super(context);
    }

    @EventHandler(
        pattern = {
          "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16"
        })
    void on(String text) {}

    @EventHandler(pattern = "17")
    void onOneMore(String text) {}
  }

  abstract static class ManyStars extends Malformed {
    ManyStars(CapabilityContext context) {
      super(context);
    }

    @EventHandler(pattern = "*a*b*c*d*")
    void on(String text) {}
  }

  static final class Secretive implements Protocol {
    private Secretive() {}

    @Override
    public List<KeyGlob> inputPatterns(String agent) {
      return List.of();
    }
  }

  abstract static class UnknownProtocol extends Malformed {
    UnknownProtocol(CapabilityContext context) {
      super(context);
    }

    @EventHandler(protocol = Secretive.class)
    void on(RunRequest request) {}
  }

  abstract static class BackgroundWithParameters extends Malformed {
    BackgroundWithParameters(CapabilityContext context) {
      super(context);
    }

    @Background(effect = "", every = "1s")
    void go(int x) {}
  }

  abstract static class BackgroundWithoutPause extends Malformed {
    BackgroundWithoutPause(CapabilityContext context) {
      super(context);
    }

    @Background(effect = "", every = "0s")
    void go() {}
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        TwoOfOneKey.class,
        Overloaded.class,
        UnknownType.class,
        BadTimeout.class,
        LongTimeout.class,
        TooManyAttempts.class,
        AttemptsOfTheUnrepeatable.class,
        BadKey.class,
        BadSchema.class,
        NoJsonSchema.class,
        StaticAction.class,
        HandlerOfNothing.class,
        HandlerOfTwo.class,
        ManyPatterns.class,
        ManyStars.class,
        UnknownProtocol.class,
        BackgroundWithParameters.class,
        BackgroundWithoutPause.class
      })
  void whatCannotBeHonouredIsRefusedInOneLineThatNamesTheClass(Class<? extends Malformed> type) {
    assertThatThrownBy(() -> CapabilityType.of(type))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(type.getSimpleName())
        .satisfies(refusal -> assertThat(refusal.getMessage()).doesNotContain("\n"));
  }

  @Test
  void theRefusalSaysWhatIsWrong() {
    assertThatThrownBy(() -> CapabilityType.of(BadTimeout.class))
        .hasMessage(
            "BadTimeout.act has the timeout \"soon\", which is no 200ms, 30s, 2m or 1h up to 24h");
    assertThatThrownBy(() -> CapabilityType.of(UnknownType.class))
        .hasMessageContaining("java.lang.Thread cannot be read from JSON");
    assertThatThrownBy(() -> CapabilityType.of(TwoOfOneKey.class))
        .hasMessage("two actions of TwoOfOneKey are named same");
    assertThatThrownBy(() -> CapabilityType.of(ManyPatterns.class))
        .hasMessage("ManyPatterns handles events by 17 patterns, more than 16");
  }
}
