package dev.colony.library;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.settings.Settings;
import dev.colony.library.capability.CritiqueCapability;
import dev.colony.library.capability.DelegateCapability;
import dev.colony.library.capability.DeliberationCapabilityTest;
import dev.colony.library.capability.HttpService;
import dev.colony.library.capability.HttpService.Method;
import dev.colony.library.capability.HttpToolCapability;
import dev.colony.library.capability.HttpToolCapability.Args;
import dev.colony.library.capability.HttpTools;
import dev.colony.library.capability.HttpTools.HttpToolSettings;
import dev.colony.library.capability.MessageCapability;
import dev.colony.library.capability.OutputCapability;
import dev.colony.library.capability.ReasoningCapability;
import dev.colony.library.context.Consolidation;
import dev.colony.library.context.MemoryManagementPolicy;
import dev.colony.library.context.MemoryManagementPolicy.MemoryManagementCapability;
import dev.colony.library.policy.MinimalActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.node.runtime.JdkHttpTransport;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import dev.colony.testkit.TestColony;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/guides/stock-capabilities.md shows, run. */
class StockGuideTest {

  private static final RunOptions OPTIONS =
      RunOptions.namespace("test").timeout(Duration.ofMinutes(2));

  @Test
  void thePageShowsWhatRuns() throws IOException {
    Guide.showsWhatRuns(
        "guides/stock-capabilities.md", StockGuideTest.class, DeliberationCapabilityTest.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "message_send",
        "message_ask",
        "message_reply",
        "message_receive",
        "negotiate",
        "deliberate",
        "tool_discover",
        "tool_use",
        "tool_send",
        "source.grep",
        "source.read",
        "source.definition",
        "source.usages",
        "source.dependents",
        "source.files",
        "source.outline",
        "source.history",
        "analyze",
        "hypothesis_test",
        "decision_make",
        "context_summarize",
        "critique",
        "plan_review",
        "output_write",
        "output_read",
        "output_list",
        "output_format",
        "report_generate",
        "delegate",
        "memory_consolidate"
      })
  void thePageNamesEachAction(String key) throws IOException {
    assertThat(Files.readString(Path.of("../../docs/guides/stock-capabilities.md")))
        .contains("| `" + key + "` |");
  }

  @Test
  void agentsTalk() {
    try (TestColony colony = TestColony.inMemory().start()) {
      // guide: messages
      AgentBlueprint clerk =
          AgentBlueprint.of(
                  ScriptedActionPolicy.class,
                  Script.of(
                      ScriptedRule.on("message")
                          .act("message_reply", "answering", "$event.id", "body", "forty-two"),
                      ScriptedRule.otherwise().idle()))
              .capability(MessageCapability.bind());

      Object[] question = {"to", "clerk", "body", "How many are left?"};
      AgentBlueprint seller =
          AgentBlueprint.of(
                  ScriptedActionPolicy.class,
                  Script.of(
                      ScriptedRule.first().act("message_ask", question),
                      ScriptedRule.after("message_ask").succeeded().complete("$reply.body"),
                      ScriptedRule.after("message_ask").act("message_ask", question)))
              .capability(MessageCapability.bind());
      // guide end
      colony.spawn("clerk", clerk);
      AgentRun run = colony.spawn("seller", seller).run(Map.of(), OPTIONS).join();
      assertThat(run.output().asText()).isEqualTo("forty-two");
    }
  }

  @Test
  void anAgentUsesServicesThatItsBlueprintLists() {
    // guide: http
    HttpService issues =
        HttpService.reading("https://tracker.example.com", "Issues of our products.")
            .paths("/api/issues", "/api/issues/*")
            .methods(Method.GET, Method.POST)
            .header("Authorization", "Bearer ${env:TRACKER_TOKEN}")
            .honouringKeys();

    AgentBlueprint triage =
        AgentBlueprint.of(MinimalActionPolicy.class)
            .capability(
                HttpToolCapability.class,
                Args.allowing(issues).timeout(Duration.ofSeconds(10)).maxResponseBytes(64 * 1024));
    // guide end
    HttpTools tools =
        new HttpTools(
            Settings.read(HttpToolSettings.class, ConfigFactory.load()),
            new JdkHttpTransport(Duration.ofSeconds(10)));
    try (FakeModel model = FakeModel.start();
        TestAgent agent =
            TestAgent.of(triage).model(model).service(HttpTools.class, tools).start()) {
      model.expect("tool_use").act("tool_use", Map.of("url", "https://tracker.example.com/admin"));
      model.expect("is not allowed; tool_discover lists what is").complete("nothing read");
      assertThat(agent.run(Map.of("goals", "read")).output().asText()).isEqualTo("nothing read");
    }
  }

  @Test
  void anAgentThinksAndWrites() {
    // guide: reasoning
    AgentBlueprint writer =
        AgentBlueprint.of(MinimalActionPolicy.class)
            .capability(ReasoningCapability.class)
            .capability(CritiqueCapability.class)
            .capability(OutputCapability.bind());
    // guide end
    try (FakeModel model = FakeModel.start();
        TestAgent agent =
            TestAgent.of(writer)
                .model(model)
                .settings("colony.agent.policy.two-phase-above = 100")
                .start()) {
      model
          .expect("output_write")
          .act("output_write", Map.of("name", "note", "content", "The disk was full."));
      model.expect("The disk was full.").complete("written");
      assertThat(agent.run(Map.of("goals", "write it down")).output().asText())
          .isEqualTo("written");
    }
  }

  @Test
  void aTaskIsDelegated() {
    try (TestColony colony = TestColony.inMemory().start()) {
      // guide: delegate
      AgentBlueprint adder =
          AgentBlueprint.of(
              ScriptedActionPolicy.class, Script.of(ScriptedRule.first().complete("$sum")));

      Object[] task = {"to", "adder", "task", Map.of("sum", 3)};
      AgentBlueprint lead =
          AgentBlueprint.of(
                  ScriptedActionPolicy.class,
                  Script.of(
                      ScriptedRule.first().act("delegate", task),
                      ScriptedRule.after("delegate").succeeded().complete("$delegated"),
                      ScriptedRule.after("delegate").act("delegate", task)))
              .capability(
                  DelegateCapability.class, new DelegateCapability.Workers(Map.of("adder", adder)));
      // guide end
      AgentRun run = colony.spawn("lead", lead).run(Map.of(), OPTIONS).join();
      assertThat(run.output().asInt()).isEqualTo(3);
    }
  }

  @Test
  void memoriesAreTakenCareOf() {
    // guide: memory
    AgentBlueprint librarian =
        MemoryManagementPolicy.agent(
            Duration.ofHours(6),
            MemoryManagementCapability.Args.of("ada", "ben").how(Consolidation.DEFAULT));
    // guide end
    try (TestAgent agent = TestAgent.of(librarian).start()) {
      assertThat(agent.run(Map.of()).output().path("consolidated")).hasSize(2);
    }
  }
}
