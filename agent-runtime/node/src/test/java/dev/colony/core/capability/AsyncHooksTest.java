package dev.colony.core.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.author.Agent;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.AgentHook.ErrorMode;
import dev.colony.agent.author.AgentHook.HookCode;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.JoinPoint;
import java.io.FileNotFoundException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class AsyncHooksTest {

  private static final JoinPoint FETCH = new JoinPoint("Web.fetch", CompletionStage.class);

  private final HookRegistry hooks = HookedAgent.registry();
  private final Agent agent = HookedAgent.with(hooks);
  private final CompletableFuture<String> page = new CompletableFuture<>();
  private final List<Object> heard = new CopyOnWriteArrayList<>();

  private CompletableFuture<String> fetch() throws Exception {
    CompletionStage<String> stage = hooks.call(FETCH, agent, this, () -> page);
    return stage.toCompletableFuture();
  }

  private HookCode.After hear() {
    return (call, result, failure) -> heard.add(failure == null ? result : failure);
  }

  @Test
  void afterSeesTheCompletionAndTheCallerWaitsForIt() throws Exception {
    hooks.add(AgentHook.after("a", "Web.fetch", hear()));
    CompletableFuture<String> fetched = fetch();
    assertThat(heard).isEmpty();
    assertThat(fetched).isNotDone();
    page.complete("text");
    assertThat(fetched.get()).isEqualTo("text");
    assertThat(heard).containsExactly("text");
  }

  @Test
  void aFailureKeepsItsType() throws Exception {
    FileNotFoundException gone = new FileNotFoundException("gone");
    hooks.add(AgentHook.after("a", "Web.fetch", hear()));
    hooks.add(AgentHook.after("b", "Web.fetch", hear()));
    CompletableFuture<String> fetched = fetch();
    page.completeExceptionally(gone);
    assertThatThrownBy(fetched::get).isInstanceOf(ExecutionException.class).cause().isSameAs(gone);
    assertThat(heard).containsExactly(gone, gone);
  }

  @Test
  void aroundMayReplaceTheStage() throws Exception {
    hooks.add(
        AgentHook.around(
            "a",
            "Web.fetch",
            (call, proceed) ->
                ((CompletionStage<?>) proceed.proceed()).thenApply(text -> text + "!")));
    page.complete("text");
    assertThat(fetch().get()).isEqualTo("text!");
    hooks.add(AgentHook.around("b", "Web.fetch", (call, proceed) -> "plain").priority(1));
    assertThat(fetch().get()).isEqualTo("plain");
  }

  @Test
  void errorModesHoldForTheCompletion() throws Exception {
    IllegalStateException own = new IllegalStateException("own");
    AgentHook failing =
        AgentHook.after(
            "a",
            "Web.fetch",
            (call, result, failure) -> {
              throw own;
            });
    page.complete("text");
    hooks.add(failing);
    assertThatThrownBy(() -> fetch().get()).cause().isSameAs(own);
    hooks.remove("a");
    hooks.add(failing.onError(ErrorMode.SUPPRESS));
    assertThat(fetch().get()).isEqualTo("text");
    hooks.remove("a");
    hooks.add(failing.onError(ErrorMode.fallback("instead")));
    assertThat(fetch().get()).isEqualTo("instead");
    hooks.remove("a");
    hooks.add(failing.onError(ErrorMode.fallback(CompletableFuture.completedFuture("later"))));
    assertThat(fetch().get()).isEqualTo("later");
  }

  @Test
  void aFallbackOfABeforeHookIsAStage() throws Exception {
    hooks.add(
        AgentHook.before(
                "b",
                "Web.fetch",
                call -> {
                  throw new IllegalStateException("own");
                })
            .onError(ErrorMode.fallback("instead")));
    assertThat(fetch().get()).isEqualTo("instead");
  }

  @Test
  void cancellingWhatTheCallerHoldsCancelsTheMethodsStage() throws Exception {
    hooks.add(AgentHook.after("a", "Web.fetch", hear()));
    fetch().cancel(true);
    await().untilAsserted(() -> assertThat(page).isCancelled());
  }

  @Test
  void aHookDoesNotHoldTheThreadThatCompletes() throws Exception {
    CompletableFuture<Void> open = new CompletableFuture<>();
    hooks.add(AgentHook.after("a", "Web.fetch", (call, result, failure) -> open.get()));
    CompletableFuture<String> fetched = fetch();
    page.complete("text");
    assertThat(fetched).isNotDone();
    open.complete(null);
    assertThat(fetched.get()).isEqualTo("text");
  }
}
