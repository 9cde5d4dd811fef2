package dev.colony.library.capability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Scope;
import dev.colony.library.capability.OutputCapability.Args;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What an agent produces stands there under its name, with its versions. */
class OutputCapabilityTest {

  private static final CapabilityBlueprint SMALL =
      CapabilityBlueprint.of(OutputCapability.class, new Args(2, 100, 2)).namespace("output");

  private static AgentBlueprint agent(CapabilityBlueprint output, ScriptedRule... rules) {
    return AgentBlueprint.of(ScriptedActionPolicy.class, Script.of(rules)).capability(output);
  }

  /** Does one action after the other; inputs of runs say which. */
  private static final AgentBlueprint WRITER =
      agent(
          SMALL,
          ScriptedRule.first().act("output_write", "name", "$name", "content", "$content"),
          ScriptedRule.otherwise().complete("over"));

  private static void write(TestAgent agent, String name, String content) {
    agent.run(Map.of("name", name, "content", content));
  }

  private static JsonNode entry(TestAgent agent, String key) {
    return agent
        .blackboard(Scope.agent("test", "test", "agent").namespace("output"))
        .read(key)
        .toCompletableFuture()
        .join()
        .map(found -> found.value())
        .orElse(MissingNode.getInstance());
  }

  @Test
  void eachWriteOfANameIsAVersionAndTheLastOnesAreKept() {
    try (TestAgent agent = TestAgent.of(WRITER).start()) {
      for (int i = 1; i <= 4; i++) {
        write(agent, "notes", "text " + i);
      }
      assertThat(entry(agent, "output:notes").path("content").asText()).isEqualTo("text 4");
      assertThat(entry(agent, "output:notes").path("version").asInt()).isEqualTo(4);
      assertThat(entry(agent, "output:notes:v3").path("content").asText()).isEqualTo("text 3");
      assertThat(entry(agent, "output:notes:v2").path("content").asText()).isEqualTo("text 2");
      assertThat(entry(agent, "output:notes:v1").isMissingNode()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void aWriteIsOneVersionWhereverTheAgentDies(KillPoint.Side side) {
    int writes =
        KillPoint.walk(
            side,
            point -> {
              try (TestAgent agent = TestAgent.of(WRITER).killed(point).start()) {
                write(agent, "notes", "text");
                assertThat(entry(agent, "output:notes").path("version").asInt()).isEqualTo(1);
              }
            });
    assertThat(writes).isGreaterThanOrEqualTo(4);
  }

  @Test
  void whatIsWrittenIsListedAndRead() {
    AgentBlueprint reader =
        agent(
            OutputCapability.bind(),
            ScriptedRule.first().act("output_write", "name", "a", "content", Map.of("x", 1)),
            ScriptedRule.after("output_write").act("output_list"),
            ScriptedRule.after("output_list").act("output_read", "name", "a", "version", 1),
            ScriptedRule.after("output_read").succeeded().act("output_read", "name", "b"),
            ScriptedRule.otherwise().complete("over"));
    try (TestAgent agent = TestAgent.of(reader).start()) {
      agent.run(Map.of());
      assertThat(agent.steps().action("output_list").output().at("/0/mediaType").asText())
          .isEqualTo("application/json");
      assertThat(agent.steps().actions("output_read").getFirst().output().at("/content/x").asInt())
          .isEqualTo(1);
      assertThat(agent.steps().actions("output_read").getLast().error())
          .contains("there is no artifact b");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "../x, short, a name is 1 to 128",
    "x, 'a text that is far too long for this scope, in which an artifact has at most one hundred"
        + " characters and no more.', at most 100 characters"
  })
  void whatDoesNotFitIsRefused(String name, String content, String why) {
    try (TestAgent agent = TestAgent.of(WRITER).start()) {
      write(agent, name, content);
      agent.steps().assertFailed("output_write", why);
    }
  }

  @Test
  void thereAreNoMoreNamesThanAreAllowed() {
    try (TestAgent agent = TestAgent.of(WRITER).start()) {
      write(agent, "a", "x");
      write(agent, "b", "x");
      write(agent, "c", "x");
      write(agent, "a", "y");
      assertThat(agent.steps().actions("output_write"))
          .extracting(action -> action.error().orElse(""))
          .containsExactly("", "", "there are 2 artifacts, and no more are allowed", "");
    }
  }

  private static JsonNode json(Object value) {
    return JsonValues.toJson(value);
  }

  @Test
  void valuesAreWrittenForReaders() {
    JsonNode rows = json(List.of(Map.of("a", "x|y"), Map.of("a", "say \"hi\", twice", "b", 2)));
    assertThat(OutputFormat.MARKDOWN_TABLE.write(rows))
        .isEqualTo("| a | b |\n| --- | --- |\n| x\\|y |  |\n| say \"hi\", twice | 2 |");
    assertThat(OutputFormat.CSV.write(rows))
        .isEqualTo("a,b\r\nx|y,\r\n\"say \"\"hi\"\", twice\",2\r\n");
    assertThat(OutputFormat.MARKDOWN_LIST.write(rows))
        .isEqualTo("- a: x|y\n- a: say \"hi\", twice, b: 2");
    assertThat(OutputFormat.TEXT.write(json(Map.of("a", 1)))).isEqualTo("a: 1");
    assertThat(OutputFormat.JSON.write(json(Map.of("a", 1)))).contains("\"a\" : 1");
    assertThatThrownBy(() -> OutputFormat.CSV.write(json(List.of(1))))
        .hasMessage("a table's rows are objects, but one is 1");
    assertThatThrownBy(() -> OutputFormat.CSV.write(json("x")))
        .hasMessageContaining("list of objects");
  }

  private static final AgentBlueprint REPORTER =
      agent(
          OutputCapability.bind(),
          ScriptedRule.first()
              .act(
                  "report_generate",
                  "name",
                  "bows",
                  "title",
                  "Bows",
                  "purpose",
                  "what a bow is",
                  "sources",
                  Map.of("glossary", "bow: the front of a ship", "atlas", "nothing")),
          ScriptedRule.otherwise().complete("$report"));

  @Test
  void aReportCitesItsSourcesAndIsKept() {
    try (FakeModel model = FakeModel.start();
        TestAgent agent = TestAgent.of(REPORTER).model(model).start()) {
      model
          .expect("bow: the front of a ship", "Title: Bows")
          .answer("# Bows\nThe front of a ship [glossary]. See [more](http://x).");
      JsonNode report = agent.run(Map.of()).output();
      assertThat(report.path("text").asText()).endsWith("\n\n## Sources\n\n- [glossary]\n");
      assertThat(report.path("cited")).isEqualTo(json(List.of("glossary")));
      assertThat(entry(agent, "output:bows").path("mediaType").asText()).isEqualTo("text/markdown");
    }
  }

  @Test
  void aReportWithoutFoundationIsSentBackOnce() {
    try (FakeModel model = FakeModel.start();
        TestAgent agent = TestAgent.of(REPORTER).model(model).start()) {
      model.expect("Title: Bows").answer("# Bows\nThe front [encyclopedia].");
      model.expect("there are no sources [encyclopedia]").answer("# Bows\nThe front [glossary].");
      assertThat(agent.run(Map.of()).output().path("cited")).isEqualTo(json(List.of("glossary")));
    }
  }
}
