package dev.colony.core.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.AgentHook.ErrorMode;
import dev.colony.agent.author.AgentHook.HookCode;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.JoinPoint;
import dev.colony.agent.author.JoinPoint.JoinPoints;
import dev.colony.agent.author.Pointcut;
import java.io.FileNotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AgentHooksTest {

  private static final JoinPoint ASK = new JoinPoint("Model.ask", String.class);

  private final HookRegistry hooks = HookedAgent.registry();
  private final Agent agent = HookedAgent.with(hooks);
  private final List<String> heard = new CopyOnWriteArrayList<>();

  private String ask() throws Exception {
    return ask(() -> {
      heard.add("method");
      return "answer";
    });
  }

  private String ask(Callable<String> method) throws Exception {
    return hooks.call(ASK, agent, this, method, "question");
  }

  private HookCode.Before say(String what) {
    return call -> heard.add(what);
  }

  private HookCode.After hear(String what) {
    return (call, result, failure) -> heard.add(what);
  }

  private HookCode.Around wrap(String what) {
    return (call, proceed) -> {
      heard.add(what + " in");
      Object result = proceed.proceed();
      heard.add(what + " out");
      return result;
    };
  }

  @Test
  void higherPrioritiesAreFurtherOutAndEqualOnesKeepTheirOrder() throws Exception {
    hooks.add(AgentHook.before("b", "Model.ask", say("b")));
    hooks.add(AgentHook.after("a", "Model.ask", hear("a")).priority(5));
    hooks.add(AgentHook.around("w", "Model.ask", wrap("w")).priority(5));
    hooks.add(AgentHook.around("v", "Model.ask", wrap("v")).priority(-1));
    hooks.add(AgentHook.before("c", "Model.ask", say("c")));
    hooks.add(AgentHook.before("top", "Model.ask", say("top")).priority(9));
    assertThat(ask()).isEqualTo("answer");
    assertThat(heard)
        .containsExactly("top", "w in", "b", "c", "v in", "method", "v out", "w out", "a");
    assertThat(hooks.hooks())
        .extracting(AgentHook::name)
        .containsExactly("top", "a", "w", "b", "c", "v");
  }

  @Test
  void aHookSeesTheCall() throws Exception {
    List<HookContext> calls = new ArrayList<>();
    hooks.add(AgentHook.before("see", "*.*", calls::add));
    ask();
    assertThat(calls)
        .containsExactly(new HookContext(agent, "Model.ask", this, List.of("question")));
  }

  @Test
  void afterSeesTheResultOrTheFailure() throws Exception {
    List<Object> seen = new ArrayList<>();
    hooks.add(
        AgentHook.after(
            "see",
            "Model.ask",
            (call, result, failure) -> {
              seen.add(result);
              seen.add(failure);
            }));
    FileNotFoundException failure = new FileNotFoundException("gone");
    ask();
    assertThatThrownBy(() ->
            ask(() -> {
              throw failure;
            }))
        .isSameAs(failure);
    assertThat(seen).containsExactly("answer", null, null, failure);
  }

  @Test
  void aroundReplacesRepeatsOrLeavesOut() throws Exception {
    hooks.add(
        AgentHook.around(
            "twice", "Model.ask", (call, proceed) -> "" + proceed.proceed() + proceed.proceed()));
    assertThat(ask()).isEqualTo("answeranswer");
    assertThat(hooks.remove("twice")).isTrue();
    assertThat(hooks.remove("twice")).isFalse();
    hooks.add(AgentHook.around("none", "Model.ask", (call, proceed) -> "cached"));
    heard.clear();
    assertThat(ask()).isEqualTo("cached");
    assertThat(heard).isEmpty();
  }

  @Test
  void aroundCanMendTheMethodsFailure() throws Exception {
    hooks.add(
        AgentHook.around(
            "mend",
            "Model.ask",
            (call, proceed) -> {
              try {
                return proceed.proceed();
              } catch (FileNotFoundException gone) {
                return "mended";
              }
            }));
    assertThat(
            ask(() -> {
              throw new FileNotFoundException("gone");
            }))
        .isEqualTo("mended");
  }

  @Test
  void aFailureOfAHookThatPropagatesIsTheCalls() {
    FileNotFoundException own = new FileNotFoundException("own");
    for (AgentHook hook : failing(own)) {
      hooks.add(hook);
      assertThatThrownBy(this::ask).as(hook.name()).isSameAs(own);
      hooks.remove(hook.name());
    }
  }

  @Test
  void aBeforeHookThatFailsKeepsTheMethodFromBeingCalled() {
    hooks.add(failing(new IllegalStateException("own")).getFirst());
    assertThatThrownBy(this::ask).hasMessage("own");
    assertThat(heard).isEmpty();
  }

  @Test
  void aSuppressedFailureLeavesTheCallAsItIs() throws Exception {
    for (AgentHook hook : failing(new FileNotFoundException("own"))) {
      heard.clear();
      hooks.add(hook.onError(ErrorMode.SUPPRESS));
      assertThat(ask()).as(hook.name()).isEqualTo("answer");
      assertThat(heard).as(hook.name()).containsExactly("method");
      hooks.remove(hook.name());
    }
  }

  @Test
  void aFallbackTakesThePlaceOfTheResult() throws Exception {
    for (AgentHook hook : failing(new FileNotFoundException("own"))) {
      hooks.add(hook.onError(ErrorMode.fallback("instead")));
      assertThat(ask()).as(hook.name()).isEqualTo("instead");
      hooks.remove(hook.name());
    }
  }

  @Test
  void theMethodsFailureIsNeverTheHooks() {
    FileNotFoundException methods = new FileNotFoundException("method");
    hooks.add(AgentHook.around("w", "Model.ask", wrap("w")).onError(ErrorMode.fallback("instead")));
    assertThatThrownBy(() ->
            ask(() -> {
              throw methods;
            }))
        .isSameAs(methods);
    assertThat(methods).hasNoSuppressedExceptions();
  }

  @Test
  void whereBothFailTheMethodsFailureIsTheCalls() {
    FileNotFoundException methods = new FileNotFoundException("method");
    IllegalStateException own = new IllegalStateException("own");
    hooks.add(
        AgentHook.after(
            "a",
            "Model.ask",
            (call, result, failure) -> {
              throw own;
            }));
    assertThatThrownBy(() ->
            ask(() -> {
              throw methods;
            }))
        .isSameAs(methods)
        .hasSuppressedException(own);
  }

  @Test
  void cancellationGoesThroughWhateverTheErrorMode() {
    for (AgentHook hook : failing(new CancellationException("left"))) {
      hooks.add(hook.onError(ErrorMode.SUPPRESS));
      assertThatThrownBy(this::ask).as(hook.name()).isInstanceOf(CancellationException.class);
      hooks.remove(hook.name());
    }
  }

  @Test
  void aStackOverflowGoesThroughAndHurtsNoOtherCall() throws Exception {
    hooks.add(AgentHook.before("deep", "Model.ask", call -> ask()).onError(ErrorMode.SUPPRESS));
    for (int i = 0; i < 20; i++) {
      assertThatThrownBy(this::ask).isInstanceOf(StackOverflowError.class);
    }
    hooks.remove("deep");
    hooks.add(
        AgentHook.before("sleepy", "Model.ask", call -> Thread.sleep(Duration.ofHours(1)))
            .timeout(Duration.ofMillis(20)));
    assertThatThrownBy(this::ask).hasMessageContaining("longer than PT0.02S");
  }

  @Test
  void aValueOfAnotherTypeIsRefusedByName() {
    hooks.add(AgentHook.around("wrong", "Model.ask", (call, proceed) -> 7));
    assertThatThrownBy(this::ask)
        .hasMessage("the hook wrong gives a Integer where Model.ask gives a String");
  }

  @Test
  void aHookThatBlocksIsInterruptedAndHasFailed() throws Exception {
    HookRegistry impatient = HookedAgent.registry(Duration.ofMillis(50));
    impatient.add(
        AgentHook.before("sleepy", "Model.ask", call -> Thread.sleep(Duration.ofHours(1))));
    assertThatThrownBy(() -> impatient.call(ASK, agent, this, () -> "answer"))
        .hasMessage("the hook sleepy took longer than PT0.05S at Model.ask");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    impatient.remove("sleepy");
    impatient.add(
        AgentHook.around(
                "stubborn",
                "Model.ask",
                (call, proceed) -> {
                  Thread.sleep(Duration.ofHours(1));
                  return "never";
                })
            .onError(ErrorMode.SUPPRESS));
    assertThat(impatient.<String>call(ASK, agent, this, () -> "answer")).isEqualTo("answer");
  }

  @Test
  void aHookWhoseTimeIsOverDoesNotProceed() {
    hooks.add(
        AgentHook.around(
                "late",
                "Model.ask",
                (call, proceed) -> {
                  try {
                    Thread.sleep(Duration.ofHours(1));
                  } catch (InterruptedException itsTimeIsOver) {
                    heard.add("interrupted");
                  }
                  return proceed.proceed();
                })
            .timeout(Duration.ofMillis(20)));
    assertThatThrownBy(this::ask).hasMessageContaining("the hook late took longer than");
    assertThat(heard).containsExactly("interrupted");
  }

  @Test
  void theInterruptionOfAHookIsNotItsCallers() {
    hooks.add(
        AgentHook.before(
                "busy",
                "Model.ask",
                call -> {
                  while (!Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                  }
                })
            .timeout(Duration.ofMillis(20)));
    assertThatThrownBy(this::ask).hasMessageContaining("the hook busy took longer than");
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void aHooksOwnTimeoutTakesThePlaceOfTheNodes() {
    hooks.add(
        AgentHook.before("sleepy", "Model.ask", call -> Thread.sleep(Duration.ofHours(1)))
            .timeout(Duration.ofMillis(20)));
    assertThatThrownBy(this::ask).hasMessageContaining("longer than PT0.02S");
  }

  @Test
  void theTimeOfTheMethodIsNotTheHooks() throws Exception {
    HookRegistry impatient = HookedAgent.registry(Duration.ofMillis(100));
    impatient.add(AgentHook.around("w", "Model.ask", wrap("w")));
    // Longer than the hook may take: the method has its own bounds.
    Callable<String> slow =
        () -> {
          Thread.sleep(300);
          return "answer";
        };
    assertThat(impatient.call(ASK, agent, this, slow)).isEqualTo("answer");
  }

  @Test
  void anActionsHooksAreThoseOfItsKey() throws Exception {
    hooks.add(AgentHook.before("web", "ActionDispatcher.* and action(web.*)", say("web")));
    hooks.add(AgentHook.before("spawn", "type(AGENT_SPAWN)", say("spawn")));
    for (String key : List.of("web.fetch", "agent_spawn", "notes.write")) {
      Action action = Action.of("a1", key, JsonNodeFactory.instance.objectNode());
      hooks.<ActionResult>call(
          JoinPoints.DISPATCH,
          agent,
          this,
          () -> {
            heard.add(key);
            return ActionResult.succeeded("a1", null);
          },
          action);
    }
    assertThat(heard).containsExactly("web", "web.fetch", "spawn", "agent_spawn", "notes.write");
  }

  @Test
  void namesAreUniqueAndTheirNumberIsBounded() {
    HookRegistry two = new AgentHooks(Duration.ofSeconds(1), 2);
    two.add(AgentHook.before("a", "*.*", say("a")));
    assertThatThrownBy(() -> two.add(AgentHook.before("a", "*.*", say("a"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the agent has a hook a already");
    two.add(AgentHook.before("b", "*.*", say("b")));
    assertThatThrownBy(() -> two.add(AgentHook.before("c", "*.*", say("c"))))
        .hasMessageContaining("at most 2");
  }

  @Test
  void agentsWithTheSamePointcutsShareTheirLayers() {
    List<Pointcut> some = List.of(Pointcut.parse("a.b or c.d"), Pointcut.parse("not x.y"));
    List<Pointcut> same = List.of(Pointcut.parse("a.b or c.d"), Pointcut.parse("not x.y"));
    assertThat(Layers.of(some)).isSameAs(Layers.of(same));
    assertThat(Layers.of(some)).isNotSameAs(Layers.of(some.reversed()));
  }

  @Test
  void hooksComeAndGoWhileCallsAreMade() throws Exception {
    List<Thread> threads =
        IntStream.range(0, 4)
            .mapToObj(thread ->
                Thread.startVirtualThread(() -> {
                  for (int i = 0; i < 300; i++) {
                    String name = "h" + thread + "-" + i;
                    hooks.add(
                        AgentHook.around(name, "Model.ask", (call, proceed) -> proceed.proceed()));
                    try {
                      heard.add(ask(() -> "answer"));
                    } catch (Exception unexpected) {
                      heard.add(unexpected.toString());
                    }
                    hooks.remove(name);
                  }
                }))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(heard).hasSize(1200).containsOnly("answer");
    assertThat(hooks.hooks()).isEmpty();
  }

  private static List<AgentHook> failing(Exception own) {
    return List.of(
        AgentHook.before(
            "before",
            "Model.ask",
            call -> {
              throw own;
            }),
        AgentHook.after(
            "after",
            "Model.ask",
            (call, result, failure) -> {
              throw own;
            }),
        AgentHook.around(
            "around first",
            "Model.ask",
            (call, proceed) -> {
              throw own;
            }),
        AgentHook.around(
            "around then",
            "Model.ask",
            (call, proceed) -> {
              proceed.proceed();
              throw own;
            }));
  }
}
