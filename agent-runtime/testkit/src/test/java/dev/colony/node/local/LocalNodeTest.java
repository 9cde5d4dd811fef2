package dev.colony.node.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.Param;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Agents;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.LocalOptions;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.testkit.Expectation;
import dev.colony.testkit.FakeModel;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program that runs its agents itself, and asks them in a line. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LocalNodeTest {

  record Term(@Param("the word to look up") String term) {}

  record Answer(String word, int letters) {}

  /** Remembers what it was asked: the very object of the program has to be called. */
  static final class Glossary {

    private final Map<String, String> words;
    private final List<String> asked = new CopyOnWriteArrayList<>();

    Glossary(Map<String, String> words) {
      this.words = words;
    }

    @ActionExecutor(summary = "Looks a word up.")
    String lookUp(Term term) {
      asked.add(term.term());
      return words.getOrDefault(term.term(), "unknown");
    }
  }

  @TempDir private Path folder;

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private LocalOptions options() {
    return LocalOptions.temporary().model(model.uri());
  }

  @Test
  void anAgentThatIsAskedCallsTheToolsOfTheProgramsOwnObjects() {
    Glossary ship = new Glossary(Map.of("bow", "the front of a ship"));
    Glossary weapon = new Glossary(Map.of("bow", "it shoots arrows"));
    model.expect("What is a bow?").act("glossary.look_up", Map.of("term", "bow"));
    model.expect("the front of a ship").act("glossary2.look_up", Map.of("term", "bow"));
    model.expect("it shoots arrows").complete("a word of two meanings");
    try (Colony colony = Colony.local(options())) {
      AgentHandle agent =
          colony.spawn(Agents.named("words").tools(ship, weapon).goal("Explain words."));
      assertThat(agent.ask("What is a bow?")).isEqualTo("a word of two meanings");
    }
    assertThat(ship.asked).containsExactly("bow");
    assertThat(weapon.asked).containsExactly("bow");
  }

  private static Agents.Definition hooked(List<Object> dispatched) {
    return Agents.named("words")
        .tools(new Glossary(Map.of("bow", "the front")))
        .hooks(
            AgentHook.after(
                "log",
                "ActionDispatcher.dispatch",
                (call, result, failure) -> dispatched.add(call.arguments().getFirst())))
        .stream(
            new ConsciousnessStream(
                "looked",
                entries -> entries.isEmpty() ? "" : "## Looked up: " + entries.size(),
                Map.of(StreamBlueprint.ACTION, entry -> true),
                5));
  }

  @Test
  void hooksFormattersAndFiltersAreLambdasOfTheProgram() {
    List<Object> dispatched = new CopyOnWriteArrayList<>();
    model.expect("What is a bow?").act("glossary.look_up", Map.of("term", "bow"));
    model.expect("## Looked up: 1").complete("the front of a ship");
    try (Colony colony = Colony.local(options())) {
      AgentHandle agent = colony.spawn(hooked(dispatched));
      assertThat(agent.ask("What is a bow?")).isEqualTo("the front of a ship");
      assertThat(dispatched).singleElement().isInstanceOf(Action.class);
      Agents.Definition only = Agents.named("a").hooks(hooked(dispatched).hooks().getFirst());
      AgentHandle elsewhere = elsewhere(colony, "a", only);
      assertThatThrownBy(() -> elsewhere.ask("anything"))
          .isInstanceOf(AgentException.class)
          .hasMessage(
              "the agent cannot work on this node: the hooks [\"log\"] of default/default/a: code"
                  + " of the program that defined the agent, which does not travel; spawn it in"
                  + " that program's Colony.local(), or register a capability with @Hook methods");
      Agents.Definition streamed =
          Agents.named("b").stream(hooked(dispatched).streams().getFirst());
      AgentHandle stream = elsewhere(colony, "b", streamed);
      assertThatThrownBy(() -> stream.ask("anything"))
          .hasMessageContaining("the stream looked of default/default/b: code of the program");
    }
  }

  @Test
  void whatIsNoHookIsRefusedAtOnce() {
    AgentHook hook = AgentHook.before("log", "*.*", call -> {});
    assertThatThrownBy(() -> Agents.named("c").hooks(hook, "log"))
        .hasMessage("java.lang.String is no hook: make one by AgentHook.before, after or around");
    assertThatThrownBy(() -> Agents.named("c").hooks(hook).hooks(hook))
        .hasMessage("two hooks are named log");
  }

  /** As what travels of a definition is spawned by another program. */
  private static AgentHandle elsewhere(Colony colony, String name, Agents.Definition definition) {
    return colony.spawn(new AgentId("default", "default", name), definition.blueprint()).join();
  }

  @Test
  void anAnswerHasTheTypeThatWasAskedFor() {
    model.expect("Count").complete(Map.of("word", "bow", "letters", 3));
    model.expect("Again").complete(Map.of("word", "bow"));
    model.expect().complete(Map.of("word", "bow", "letters", 4));
    try (Colony colony = Colony.local(options())) {
      AgentHandle agent = colony.spawn(Agents.named("counter").role("You count letters."));
      assertThat(agent.ask("Count", Answer.class)).isEqualTo(new Answer("bow", 3));
      assertThat(agent.ask("Again", Answer.class))
          .as("the model is shown what is wrong")
          .isEqualTo(new Answer("bow", 4));
      assertThatThrownBy(() -> agent.ask("Count", Thread.class))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("java.lang.Thread cannot be read from JSON");
    }
  }

  @Test
  void aRunIsWaitedForAndStreamedToItsEnd() {
    model.expect("first").complete("one");
    model.expect("second").complete("two");
    try (Colony colony = Colony.local(options())) {
      AgentHandle agent = colony.spawn(Agents.named("worker"));
      AgentRun run = agent.run("first");
      assertThat(run.output().asText()).isEqualTo("one");
      assertThat(run.stats().steps()).isEqualTo(1);
      try (Stream<RunProgress> events = agent.stream("second")) {
        List<RunProgress> all = events.toList();
        assertThat(all.getLast().end().orElseThrow().output().asText()).isEqualTo("two");
      }
    }
  }

  @Test
  void whatAnAgentDidIsThereWhenItsFolderIsOpenedAgain() {
    LocalOptions kept = options().directory(folder.resolve("state"));
    model.expect("first").complete("one");
    try (Colony colony = Colony.local(kept)) {
      assertThat(colony.spawn(Agents.named("worker").goal("Work.")).ask("first")).isEqualTo("one");
      assertThatThrownBy(() -> Colony.local(kept))
          .isInstanceOf(AgentException.class)
          .hasMessageContaining("state is in use by a program with Colony.local() (pid ");
    }
    assertThat(RedisServerProcess.uriOf(folder.resolve("state/redis"))).isPresent();
    model.expect("Work hard.").complete("two");
    model.expect("Work.").complete("three");
    try (Colony colony = Colony.local(kept)) {
      AgentHandle agent = colony.spawn(Agents.named("worker").goal("Work hard."));
      assertThat(agent.ask("second")).isEqualTo("two");
      assertThat(colony.spawn(Agents.named("worker").goal("Work.")).ask("third"))
          .as("an agent lives by the definition that was given last")
          .isEqualTo("three");
      assertThat(agent.history(Optional.empty(), 100).join().entries()).hasSizeGreaterThan(3);
    }
  }

  @Test
  void aRunWaitsForTheProgramThatGivesItsTools() {
    LocalOptions kept = options().directory(folder.resolve("state"));
    Expectation cut = model.expect("What is a bow?").held().complete("never read");
    RunId run;
    try (Colony colony = Colony.local(kept)) {
      AgentHandle agent = colony.spawn(Agents.named("words").tools(new Glossary(Map.of())));
      run = agent.run("What is a bow?", RunOptions.namespace("ask")).runId();
      cut.await();
    }
    model.expect("What is a bow?").act("glossary.look_up", Map.of("term", "bow"));
    model.expect("the front").complete("the front of a ship");
    try (Colony colony = Colony.local(kept)) {
      AgentHandle waiting = colony.agent("words");
      assertThatThrownBy(() -> waiting.ask("Another"))
          .as("the agent was woken, and its run has not failed")
          .hasMessageContaining("no node can make the tools");
      Glossary again = new Glossary(Map.of("bow", "the front"));
      AgentHandle agent = colony.spawn(Agents.named("words").tools(again));
      AgentRun end =
          agent.attach(run, RunOptions.namespace("ask").timeout(Duration.ofMinutes(1))).join();
      assertThat(end.output().asText()).isEqualTo("the front of a ship");
      assertThat(again.asked).containsExactly("bow");
    }
  }

  @Test
  void whatNoNodeCanDoIsRefusedInOneLine() {
    try (Colony colony = Colony.local(options())) {
      AgentHandle lacking =
          colony
              .spawn(
                  new AgentId("default", "default", "lacking"),
                  AgentBlueprint.of(MinimalActionPolicy.class)
                      .capability(CapabilityBlueprint.of(Blueprint.of("com.example.Gone"))))
              .join();
      assertThatThrownBy(() -> lacking.ask("anything"))
          .isInstanceOf(AgentException.class)
          .hasMessage(
              "the agent cannot work on this node: the capability com.example.Gone is refused: no"
                  + " AgentCapability com.example.Gone is registered here, and this node has no"
                  + " class com.example.Gone with @ActionExecutor methods: put its jar on the"
                  + " node's class path");
      AgentBlueprint travels = Agents.named("b").tools(new Glossary(Map.of())).blueprint();
      AgentHandle elsewhere =
          colony.spawn(new AgentId("default", "default", "elsewhere"), travels).join();
      assertThatThrownBy(() -> elsewhere.ask("anything"))
          .isInstanceOf(AgentException.class)
          .hasMessageContaining(
              "no node can make the tools dev.colony.node.local.LocalNodeTest.Glossary");
    }
  }

  @Test
  void aServerThatIsNotThereIsRefusedAtOnceAndNothingIsLeft() {
    URI nowhere = URI.create("http://127.0.0.1:1/v1");
    Path state = folder.resolve("state");
    LocalOptions options = LocalOptions.USUAL.directory(state).model(nowhere);
    assertThatThrownBy(() -> Colony.local(options))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("http://127.0.0.1:1/v1");
    assertThat(Files.exists(state.resolve("redis/redis.pid"))).isFalse();
  }
}
