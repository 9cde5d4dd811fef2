package dev.colony.core.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.Hookable;
import dev.colony.agent.fixture.TestAgent;
import dev.colony.core.capability.AgentHooks.CapabilityHooks;
import java.io.FileNotFoundException;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class WeaverTest {

  private final HookRegistry hooks = HookedAgent.registry();
  private final TestAgent agent = HookedAgent.with(hooks);
  private final List<String> heard = new CopyOnWriteArrayList<>();

  /** Package-private, as are its constructor and its methods. */
  static class Notes extends AgentCapability {

    private final List<String> kept = new ArrayList<>();

    Notes(CapabilityContext context, String first) throws FileNotFoundException {
      super(context);
      if (first.isEmpty()) {
        throw new FileNotFoundException("nothing to note");
      }
      keep(first);
    }

    @Hookable
    boolean keep(String note) {
      return kept.add(note);
    }

    @Hookable
    protected int keepAll(int from, long times, double factor, String... notes) {
      for (String note : notes) {
        keep(note);
      }
      return from + (int) (times * factor);
    }

    @Hookable
    void clear() throws FileNotFoundException {
      throw new FileNotFoundException("cannot be cleared");
    }

    @Hookable
    public CompletionStage<String> later() {
      return CompletableFuture.supplyAsync(() -> "later");
    }

    String plain() {
      return "plain";
    }
  }

  static class LoudNotes extends Notes {
    LoudNotes(CapabilityContext context, String first) throws FileNotFoundException {
      super(context, first);
    }

    @Override
    boolean keep(String note) {
      return super.keep(note + "!");
    }
  }

  private <T> T make(Class<T> type, Object... arguments) throws ReflectiveOperationException {
    return type.cast(Weaver.construct(agent, type.getDeclaredConstructors()[0], arguments));
  }

  private void listen(String pointcut) {
    hooks.add(
        AgentHook.before(
            "listen", pointcut, call -> heard.add(call.joinPoint() + call.arguments())));
  }

  @Test
  void callsFromOutsideAndSelfCallsAreSeen() throws Exception {
    Notes notes = make(Notes.class, agent.capabilityContext("notes"), "first");
    listen("Notes.*");
    assertThat(notes.keepAll(1, 2L, 1.5, "a", "b")).isEqualTo(4);
    assertThat(heard.getFirst()).startsWith("Notes.keepAll[1, 2, 1.5, ");
    assertThat(heard.subList(1, 3)).containsExactly("Notes.keep[a]", "Notes.keep[b]");
    assertThat(notes.kept).containsExactly("first", "a", "b");
    assertThat(notes.plain()).isEqualTo("plain");
    assertThat(heard).hasSize(3);
  }

  @Test
  void callsWithinTheConstructorAreSeen() throws Exception {
    listen("Notes.*");
    make(Notes.class, agent.capabilityContext("notes"), "first");
    assertThat(heard).containsExactly("Notes.keep[first]");
  }

  @Test
  void aMethodThatOverridesAHookableOneIsTheSameJoinPoint() throws Exception {
    LoudNotes notes = make(LoudNotes.class, agent.capabilityContext("notes"), "first");
    listen("Notes.keep and type(LoudNotes) and within(notes)");
    notes.keep("a");
    assertThat(heard).containsExactly("Notes.keep[a]");
    assertThat(((Notes) notes).kept).containsExactly("first!", "a!");
  }

  @Test
  void exceptionsKeepTheirType() throws Exception {
    Notes notes = make(Notes.class, agent.capabilityContext("notes"), "first");
    assertThatThrownBy(notes::clear).isExactlyInstanceOf(FileNotFoundException.class);
    listen("Notes.*");
    assertThatThrownBy(notes::clear).isExactlyInstanceOf(FileNotFoundException.class);
    assertThatThrownBy(() -> make(Notes.class, agent.capabilityContext("notes"), ""))
        .isInstanceOf(InvocationTargetException.class)
        .cause()
        .isExactlyInstanceOf(FileNotFoundException.class);
  }

  @Test
  void anAsynchronousMethodIsSeenToItsEnd() throws Exception {
    Notes notes = make(Notes.class, agent.capabilityContext("notes"), "first");
    hooks.add(
        AgentHook.after(
            "hear", "Notes.later", (call, result, failure) -> heard.add("got " + result)));
    assertThat(notes.later().toCompletableFuture().get()).isEqualTo("later");
    assertThat(heard).containsExactly("got later");
  }

  @Test
  void aroundReplacesWhatAMethodGives() throws Exception {
    Notes notes = make(Notes.class, agent.capabilityContext("notes"), "first");
    hooks.add(AgentHook.around("no", "Notes.keep", (call, proceed) -> false));
    assertThat(notes.keep("a")).isFalse();
    hooks.remove("no");
    hooks.add(AgentHook.around("null", "Notes.keep", (call, proceed) -> null));
    assertThatThrownBy(() -> notes.keep("a"))
        .hasMessage("the hook null gives null where Notes.keep gives a boolean");
  }

  @Test
  void eachInstanceHasTheHooksOfItsAgent() throws Exception {
    listen("Notes.*");
    TestAgent other = HookedAgent.with(HookedAgent.registry());
    Notes notes =
        (Notes)
            Weaver.construct(
                Notes.class.getDeclaredConstructors()[0],
                other.capabilityContext("notes"),
                "first");
    notes.keep("a");
    assertThat(heard).isEmpty();
  }

  static class Plain extends AgentCapability {
    private Plain(CapabilityContext context) {
      super(context);
    }
  }

  @Test
  void aClassWithoutHookableMethodsIsNotWoven() throws Exception {
    assertThat(Weaver.weave(Plain.class)).isSameAs(Plain.class);
    assertThat(make(Plain.class, agent.capabilityContext("plain")).getClass())
        .isSameAs(Plain.class);
    assertThat(Weaver.original(Plain.class)).isSameAs(Plain.class);
  }

  @Test
  void aClassIsWovenOnceWhoeverAsks() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Class<?>> weave = () -> Weaver.weave(Raced.class);
      List<Class<?>> woven = new ArrayList<>();
      for (var one : threads.invokeAll(Collections.nCopies(32, weave))) {
        woven.add(one.get());
      }
      assertThat(woven).hasSize(32).containsOnly(Weaver.weave(Raced.class));
      assertThat(woven.getFirst().getSuperclass()).isSameAs(Raced.class);
      assertThat(Weaver.original(woven.getFirst())).isSameAs(Raced.class);
    }
  }

  static class Raced {
    @Hookable
    void run() {}
  }

  /** Loads a class anew, so that it can be seen to be unloaded. */
  private static final class OwnLoader extends ClassLoader {
    OwnLoader() {
      super(WeaverTest.class.getClassLoader());
    }

    Class<?> again(Class<?> type) throws Exception {
      String file = type.getName().replace('.', '/') + ".class";
      try (var stream = getParent().getResourceAsStream(file)) {
        byte[] bytes = stream.readAllBytes();
        return defineClass(type.getName(), bytes, 0, bytes.length);
      }
    }
  }

  @Test
  void whatIsWovenIsUnloadedWithItsLoader() throws Exception {
    WeakReference<ClassLoader> loader = weaveInLoaderOfItsOwn();
    await()
        .untilAsserted(() -> {
          System.gc();
          assertThat(loader.get()).isNull();
        });
  }

  private WeakReference<ClassLoader> weaveInLoaderOfItsOwn() throws Exception {
    OwnLoader loader = new OwnLoader();
    Class<?> type = loader.again(Unloadable.class);
    listen("Unloadable.*");
    Object made = Weaver.construct(agent, type.getDeclaredConstructors()[0]);
    assertThat(made.getClass().getClassLoader()).isSameAs(loader);
    var run = type.getDeclaredMethod("run");
    run.setAccessible(true);
    run.invoke(made);
    assertThat(heard).containsExactly("Unloadable.run[]");
    return new WeakReference<>(loader);
  }

  interface Recalls {
    @Hookable
    String recall();
  }

  abstract static class Base<T> {
    @Hookable
    abstract void take(T what);
  }

  static class Typed extends Base<String> implements Recalls {
    private final List<String> taken = new ArrayList<>();

    @Hookable
    @Override
    void take(String what) {
      taken.add(what);
    }

    @Override
    public String recall() {
      return "recalled";
    }
  }

  @Test
  void aMethodOfAnInterfaceOrAGenericClassIsCalledOnce() throws Exception {
    listen("*.*");
    Typed typed = make(Typed.class);
    Base<String> base = typed;
    base.take("a");
    assertThat(typed.recall()).isEqualTo("recalled");
    assertThat(typed.taken).containsExactly("a");
    assertThat(heard).containsExactly("Typed.take[a]", "Recalls.recall[]");
  }

  static final class FinalClass {
    @Hookable
    void run() {}
  }

  static class FinalMethod {
    @Hookable
    final void run() {}
  }

  static class PrivateMethod {
    @Hookable
    private void run() {}
  }

  static class InheritsPrivateMethod extends PrivateMethod {}

  static class StaticMethod {
    @Hookable
    static void run() {}
  }

  static class OwnStage {
    @Hookable
    Stage run() {
      return new Stage();
    }
  }

  static class Stage extends CompletableFuture<String> {}

  static class PrivateConstructor {
    private PrivateConstructor() {}

    @Hookable
    void run() {}
  }

  @Test
  void whatCannotBeOverriddenIsRefusedInOneLine() {
    refused(FinalClass.class, "the hookable method run is of a final class: open it");
    refused(FinalMethod.class, "the hookable method run is final: let it be overridden");
    refused(PrivateMethod.class, "the hookable method run is private: make it package-private");
    refused(
        InheritsPrivateMethod.class, "the hookable method run is private: make it package-private");
    refused(StaticMethod.class, "the hookable method run is static: make it an instance method");
    refused(OwnStage.class, "the hookable method run returns a Stage: return a CompletionStage");
    refused(
        PrivateConstructor.class,
        "the hookable method run is of a class with private constructors only: open one");
    assertThatCode(() -> Weaver.check(Notes.class)).doesNotThrowAnyException();
  }

  static class HookBySyntax {
    @Hook(before = "Notes")
    void hear() {}
  }

  @Test
  void aMalformedHookMethodIsRefusedWithTheClass() {
    refused(
        HookBySyntax.class,
        "the hook method hear: pointcut \"Notes\", character 6: expected '.' and a method after"
            + " Notes, found the end");
  }

  private static void refused(Class<?> type, String reason) {
    assertThatThrownBy(() -> Weaver.check(type))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(type.getName() + " cannot be bound: " + reason);
  }

  /** A hook method that is a join point itself. */
  static class Both extends AgentCapability {
    private final List<String> seen = new ArrayList<>();

    Both(CapabilityContext context) {
      super(context);
    }

    @Hookable
    @Hook(after = "Notes.keep")
    void remember(boolean kept) {
      seen.add("kept " + kept);
    }
  }

  @Test
  void aHookMethodMayBeHookable() throws Exception {
    Both both = make(Both.class, agent.capabilityContext("both"));
    CapabilityHooks.add(both, hooks);
    listen("Both.remember");
    make(Notes.class, agent.capabilityContext("notes"), "first");
    assertThat(both.seen).containsExactly("kept true");
    assertThat(heard).containsExactly("Both.remember[true]");
  }

  @Test
  void aDetachedCapabilityIsNotWoven() throws Exception {
    CapabilityContext context =
        CapabilityContext.detached(agent.blackboards(), agent.id().scope(), "notes");
    Notes detached =
        (Notes) Weaver.construct(Notes.class.getDeclaredConstructors()[0], context, "first");
    assertThat(detached.getClass()).isSameAs(Notes.class);
    listen("*.*");
    assertThat(detached.keep("a")).isTrue();
    assertThat(heard).isEmpty();
  }
}
