package dev.colony.core.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.AgentHook.HookCode.Proceed;
import dev.colony.agent.author.AgentHook.HookContext;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Hook.OnError;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.Hookable;
import dev.colony.agent.author.JoinPoint.JoinPoints;
import dev.colony.agent.author.Pointcut;
import dev.colony.agent.client.Agents;
import dev.colony.agent.fixture.Guide;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.core.capability.AgentHooks.CapabilityHooks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Runs the examples of docs/guides/hooks.md. */
class HooksGuideTest {

  private final HookRegistry hooks = HookedAgent.registry();
  private final TestAgent agent = HookedAgent.with(hooks);

  // guide: hook
  static class Diary extends AgentCapability {

    private final List<String> lines = new ArrayList<>();

    Diary(CapabilityContext context) {
      super(context);
    }

    @Hook(after = "ActionDispatcher.dispatch")
    void remember(HookContext call, ActionResult result) {
      Action action = (Action) call.arguments().getFirst();
      lines.add(action.key() + ": " + result.status());
    }
  }

  // guide end

  // guide: hookable
  static class Library extends AgentCapability {

    Library(CapabilityContext context) {
      super(context);
    }

    @Hookable
    CompletionStage<String> find(String title) {
      return CompletableFuture.supplyAsync(() -> "the text of " + title);
    }

    CompletionStage<List<String>> findAll(List<String> titles) {
      List<CompletableFuture<String>> found =
          titles.stream().map(title -> find(title).toCompletableFuture()).toList();
      return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
          .thenApply(all -> found.stream().map(CompletableFuture::join).toList());
    }
  }

  // guide end

  // guide: around
  static class Shelf extends AgentCapability {

    private final Map<Object, Object> found = new HashMap<>();

    Shelf(CapabilityContext context) {
      super(context);
    }

    @Hook(around = "Library.find", priority = 10)
    Object once(HookContext call, Proceed proceed) throws Exception {
      Object title = call.arguments().getFirst();
      if (!found.containsKey(title)) {
        found.put(title, proceed.proceed());
      }
      return found.get(title);
    }
  }

  // guide end

  // guide: fallback
  static class Critic extends AgentCapability {

    Critic(CapabilityContext context) {
      super(context);
    }

    @Hook(around = "Library.find", onError = OnError.FALLBACK, fallback = "unread", timeout = "2s")
    Object judge(Proceed proceed) throws Exception {
      throw new IOException("the critic is out");
    }

    String unread(HookContext call) {
      return call.arguments().getFirst() + ", unread";
    }
  }

  // guide end

  private <C extends AgentCapability> C made(Class<C> type) throws Exception {
    C capability =
        type.cast(
            Weaver.construct(
                type.getDeclaredConstructors()[0],
                agent.capabilityContext(type.getSimpleName().toLowerCase(Locale.ROOT))));
    CapabilityHooks.add(capability, hooks);
    return capability;
  }

  private ActionResult dispatch(Action action) throws Exception {
    return hooks.call(
        JoinPoints.DISPATCH,
        agent,
        this,
        () -> ActionResult.succeeded(action.actionId(), TextNode.valueOf("done")),
        action);
  }

  @Test
  void theDiaryRemembersActions() throws Exception {
    Diary diary = made(Diary.class);
    dispatch(Action.of("a1", "web.fetch", null));
    assertThat(diary.lines).containsExactly("web.fetch: SUCCEEDED");
  }

  @Test
  void theShelfSeesTheLibrarysOwnCalls() throws Exception {
    Library library = made(Library.class);
    Shelf shelf = made(Shelf.class);
    List<String> texts =
        library.findAll(List.of("Emma", "Emma", "Ulysses")).toCompletableFuture().get();
    assertThat(texts)
        .containsExactly("the text of Emma", "the text of Emma", "the text of Ulysses");
    assertThat(shelf.found).containsOnlyKeys("Emma", "Ulysses");
  }

  @Test
  void aFallbackStandsInForTheCritic() throws Exception {
    Library library = made(Library.class);
    made(Critic.class);
    assertThat(library.find("Emma").toCompletableFuture().get()).isEqualTo("Emma, unread");
  }

  @Test
  void hooksCanBeAddedByAProgram() throws Exception {
    Semaphore two = new Semaphore(2);
    // guide: program
    AgentHook bound =
        AgentHook.around(
                "at-most-two",
                "ActionDispatcher.dispatch and action(web.*)",
                (call, rest) -> {
                  two.acquire();
                  try {
                    return rest.proceed();
                  } finally {
                    two.release();
                  }
                })
            .priority(100)
            .timeout(Duration.ofMinutes(1));
    agent.hooks().add(bound);
    // guide end
    assertThat(dispatch(Action.of("a1", "web.fetch", null)).success()).isTrue();
    assertThat(two.availablePermits()).isEqualTo(2);
  }

  @Test
  void hooksAndStreamsOfADefinitionAreCodeOfTheProgram() {
    List<Object> done = new ArrayList<>();
    // guide: definition
    Agents.Definition clerk =
        Agents.named("clerk")
            .hooks(
                AgentHook.after(
                    "log",
                    "ActionDispatcher.dispatch",
                    (call, result, failure) -> done.add(result)))
            .stream(
                new ConsciousnessStream(
                    "done",
                    entries -> "## Done so far: " + entries.size(),
                    Map.of(StreamBlueprint.ACTION, entry -> true),
                    20));
    // guide end
    assertThat(clerk.blueprint().capabilities())
        .extracting(one -> one.what().toString())
        .singleElement()
        .asString()
        .contains("program.hooks", "log");
    assertThat(clerk.blueprint().streams()).containsExactlyElementsOf(clerk.streamed().keySet());
    assertThat(clerk.streamed().values()).containsExactlyElementsOf(clerk.streams());
  }

  @Test
  void aMisspeltPointcutIsRefused() {
    ThrowingCallable misspelt =
        () -> {
          // guide: refused
          Pointcut.parse("Library.find andd type(Library)");
          // guide end
        };
    assertThatThrownBy(misspelt)
        .hasMessage(
            "pointcut \"Library.find andd type(Library)\", character 14: expected 'and', 'or' or"
                + " the end, found 'a'");
  }

  @Test
  void thePointcutsOfThePageAreOnes() throws IOException {
    String page = Files.readString(Path.of("../../docs/guides/hooks.md"));
    List<String> pointcuts =
        Stream.of(page.split("## Pointcuts")[1].split("\n## ")[0].split("\n"))
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(3, line.indexOf('`', 3)))
            .toList();
    assertThat(pointcuts).hasSizeGreaterThan(5);
    assertThat(pointcuts)
        .allSatisfy(pointcut -> assertThat(Pointcut.parse(pointcut)).hasToString(pointcut));
  }

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns("guides/hooks.md", HooksGuideTest.class);
  }
}
