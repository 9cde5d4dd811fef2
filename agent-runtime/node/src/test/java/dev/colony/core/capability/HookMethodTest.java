package dev.colony.core.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.AgentHook.HookCode.Proceed;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Hook.OnError;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.HookRegistry.HookSource;
import dev.colony.agent.author.JoinPoint;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.capability.AgentHooks.CapabilityHooks;
import java.io.FileNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

class HookMethodTest {

  private static final JoinPoint ASK = new JoinPoint("Model.ask", String.class);

  private final HookRegistry hooks = HookedAgent.registry();
  private final TestAgent agent = HookedAgent.with(hooks);

  private String ask(Callable<String> method) throws Exception {
    return hooks.call(ASK, agent, this, method);
  }

  private <C extends AgentCapability> C added(C capability) {
    CapabilityHooks.add(capability, hooks);
    return capability;
  }

  static class Listener extends AgentCapability {
    final List<String> heard = new ArrayList<>();

    Listener(CapabilityContext context) {
      super(context);
    }

    @Hook(before = "Model.*")
    private void before(HookContext call) {
      heard.add("before " + call.joinPoint());
    }

    @Hook(after = "Model.ask")
    void always() {
      heard.add("always");
    }

    @Hook(after = "Model.ask")
    void result(String result) {
      heard.add("result " + result);
    }

    @Hook(after = "Model.ask")
    void number(int result) {
      heard.add("number " + result);
    }

    @Hook(after = "Model.ask")
    void failure(FileNotFoundException failure) {
      heard.add("failure " + failure.getMessage());
    }

    @Hook(after = "Model.ask")
    void both(String result, Throwable failure, HookContext call) {
      heard.add("both " + (failure == null ? result : failure.getMessage()));
    }
  }

  @Test
  void aMethodIsCalledForWhatItTakes() throws Exception {
    Listener listener = added(new Listener(agent.capabilityContext("ear")));
    ask(() -> "yes");
    // Of equal priority the first by name is the outermost layer, and an outer AFTER comes later.
    assertThat(listener.heard)
        .containsExactly("before Model.ask", "result yes", "both yes", "always");
    listener.heard.clear();
    assertThatThrownBy(() ->
            ask(() -> {
              throw new FileNotFoundException("gone");
            }))
        .isInstanceOf(FileNotFoundException.class);
    assertThat(listener.heard)
        .containsExactly("before Model.ask", "failure gone", "both gone", "always");
    listener.heard.clear();
    ask(() -> null);
    assertThat(listener.heard)
        .containsExactly("before Model.ask", "result null", "both null", "always");
  }

  @Test
  void hooksAreNamedAfterTheirCapability() {
    added(new Listener(agent.capabilityContext("ear")));
    added(new Listener(agent.capabilityContext("other")));
    assertThat(hooks.hooks()).extracting(AgentHook::name).contains("ear.always", "other.always");
    assertThatThrownBy(() -> added(new Listener(agent.capabilityContext("ear"))))
        .hasMessage("the agent has a hook ear.always already");
  }

  static class Quiet extends Listener {
    Quiet(CapabilityContext context) {
      super(context);
    }

    @Override
    void always() {
      heard.add("never");
    }
  }

  @Test
  void anOverrideWithoutTheAnnotationIsNoHook() throws Exception {
    Quiet quiet = added(new Quiet(agent.capabilityContext("quiet")));
    ask(() -> "yes");
    assertThat(quiet.heard).containsExactly("before Model.ask", "result yes", "both yes");
  }

  static class Wrapper extends AgentCapability {
    Wrapper(CapabilityContext context) {
      super(context);
    }

    @Hook(around = "Model.ask", onError = OnError.FALLBACK, fallback = "instead", timeout = "30s")
    Object twice(Proceed proceed) throws Exception {
      String once = (String) proceed.proceed();
      if (once.isEmpty()) {
        throw new FileNotFoundException("nothing");
      }
      return once + once;
    }

    private String instead(HookContext call) {
      return "instead of " + call.joinPoint();
    }
  }

  @Test
  void aroundAndItsFallback() throws Exception {
    added(new Wrapper(agent.capabilityContext("wrap")));
    assertThat(ask(() -> "ab")).isEqualTo("abab");
    assertThat(ask(() -> "")).isEqualTo("instead of Model.ask");
    assertThat(hooks.hooks().getFirst().timeout().orElseThrow()).hasSeconds(30);
  }

  static class Provided extends AgentCapability implements HookSource {
    Provided(CapabilityContext context) {
      super(context);
    }

    @Override
    public List<AgentHook> hooks() {
      return List.of(AgentHook.around("say", "Model.ask", (call, proceed) -> "provided"));
    }
  }

  @Test
  void aCapabilityMayMakeItsHooksItself() throws Exception {
    added(new Provided(agent.capabilityContext("own")));
    assertThat(ask(() -> "yes")).isEqualTo("provided");
    assertThat(hooks.hooks()).extracting(AgentHook::name).containsExactly("own.say");
  }

  static class NoPointcut {
    @Hook
    void hear() {}
  }

  static class TwoPointcuts {
    @Hook(before = "a.b", after = "a.b")
    void hear() {}
  }

  static class BeforeWithResult {
    @Hook(before = "a.b")
    void hear(String result) {}
  }

  static class AroundWithoutProceed {
    @Hook(around = "a.b")
    Object hear(HookContext call) {
      return null;
    }
  }

  static class AroundOfNothing {
    @Hook(around = "a.b")
    void hear(Proceed proceed) {}
  }

  static class AfterWithProceed {
    @Hook(after = "a.b")
    void hear(Proceed proceed) {}
  }

  static class TwoResults {
    @Hook(after = "a.b")
    void hear(String one, String other) {}
  }

  static class NoSuchFallback {
    @Hook(before = "a.b", onError = OnError.FALLBACK, fallback = "nothing")
    void hear() {}
  }

  static class FallbackWithoutMode {
    @Hook(before = "a.b", fallback = "toString")
    void hear() {}
  }

  static class BadTimeout {
    @Hook(before = "a.b", timeout = "soon")
    void hear() {}
  }

  static class StaticHook {
    @Hook(before = "a.b")
    static void hear() {}
  }

  @Test
  void malformedMethodsAreRefusedInOneLine() {
    refused(NoPointcut.class, "it is to say exactly one of before, after and around");
    refused(TwoPointcuts.class, "it is to say exactly one of before, after and around");
    refused(BeforeWithResult.class, "it cannot be given a String: only after a call there is more");
    refused(AroundWithoutProceed.class, "it takes no Proceed");
    refused(AroundOfNothing.class, "it does not return what the call is to give");
    refused(AfterWithProceed.class, "only a hook around a call takes a Proceed");
    refused(TwoResults.class, "it takes a thing twice");
    refused(NoSuchFallback.class, "there is no method nothing that takes nothing or a HookContext");
    refused(FallbackWithoutMode.class, "FALLBACK and a fallback go together");
    refused(BadTimeout.class, "its timeout is a duration like 30s, not: soon");
    refused(StaticHook.class, "it is static");
    assertThatCode(() -> CapabilityHooks.check(Quiet.class)).doesNotThrowAnyException();
  }

  private static void refused(Class<?> type, String why) {
    assertThatThrownBy(() -> CapabilityHooks.check(type))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(type.getName() + " cannot be bound: the hook method hear: " + why);
  }
}
