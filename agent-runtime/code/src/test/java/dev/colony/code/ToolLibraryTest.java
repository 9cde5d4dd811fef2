package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunId;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.agent.fixture.Guide;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.library.policy.ScriptedActionPolicy;
import dev.colony.library.policy.ScriptedActionPolicy.Script;
import dev.colony.library.policy.ScriptedRule;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Functions that a planner defines and calls as actions. */
class ToolLibraryTest extends CodeFixture {

  private static final String PAGE = "guides/code-policy.md";

  private static final String DOUBLE =
      """
      name: 'double', description: 'Doubles n.',
      parameters: {type: 'object', properties: {n: {type: 'number'}}, required: ['n']},
      """;

  private static AgentBlueprint approved() {
    // guide: tools
    AgentBlueprint builder =
        AgentBlueprint.of(CodeGenerationActionPolicy.class)
            .capability(
                ToolLibraryCapability.bind().approve("tools.define_tool", "tools.replace_tool"));
    // guide end
    return builder;
  }

  private static AgentBlueprint blueprint(CapabilityBlueprint library) {
    return AgentBlueprint.of(CodeGenerationActionPolicy.class).capability(library);
  }

  private TestAgent.Builder agent(AgentBlueprint blueprint) {
    return TestAgent.of(blueprint).service(Sandbox.class, sandbox).model(model);
  }

  private TestAgent agent() {
    return agent(blueprint(ToolLibraryCapability.bind())).start();
  }

  private void cell(String expected, String source) {
    model.expect(expected).answer(Desk.cell(source));
  }

  /** A cell that ends the run with what a call gives, or with its error. */
  private static String told(String call) {
    return "let out; try { out = "
        + call
        + " } catch (e) { out = e.status + ': ' + e.message }\ncomplete(out)";
  }

  private static String twice(String action, String code, String examples) {
    return "tools.%s({%s code: \"%s\", examples: [%s]})".formatted(action, DOUBLE, code, examples);
  }

  private String outcome(TestAgent agent, String call) {
    cell("told", told(call));
    JsonNode output = agent.run("told").output();
    return output.isTextual() ? output.asText() : output.toString();
  }

  /** The cell that the page shows. */
  private static String pageCell() throws Exception {
    String page = Files.readString(Path.of("../../docs", PAGE));
    String section = page.substring(page.indexOf("## Tools that a planner defines"));
    return section.replaceFirst("(?s).*?```js\n(.*?)```.*", "$1");
  }

  @Test
  void aPersonApprovesAToolThatPassesItsExamplesAndLaterRunsCallIt() throws Exception {
    String define = pageCell();
    cell("first", define.replace("'first-agent'", "'First-Agent'"));
    cell("gave first-agent, not First-Agent", define + "\ncomplete('defined')");
    cell("tools.slug({title: string})", told("tools.slug({title: 'Two Words'})"));
    try (TestAgent agent = agent(approved()).start()) {
      RunId run = agent.ask("first");
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      List<ActionView> asked = agent.steps().actions();
      assertThat(asked.getFirst().error().orElseThrow()).contains("gave first-agent");
      String request =
          asked
              .getLast()
              .error()
              .orElseThrow()
              .replaceFirst("a person has to approve ([^:]+):.*", "$1");
      agent.crash();
      agent.handle().approve(request, "ann", "").join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText()).isEqualTo("defined");
      agent.crash();
      assertThat(agent.run("second").output().asText()).isEqualTo("two-words");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          return args.n + args.n            | {arguments: {n: 2}, result: 5}   | failed: the example {"n":2} gave 4, not 5
          return args.n.x.y                 | {arguments: {n: 2}, result: 4}   | failed: the example {"n":2} ended with an error: TypeError: cannot read property 'y' of undefined
          return args.n *                   | {arguments: {n: 2}, result: 4}   | failed: the example {"n":2} ended with an error: SyntaxError: unexpected token
          for (;;) {}                       | {arguments: {n: 2}, result: 4}   | failed: the example {"n":2} ended with an error: it
          return tools.double({n: args.n})  | {arguments: {n: 2}, result: 4}   | failed: the example {"n":2} ended with an error: ReferenceError: tools is not defined
          return 'x'.repeat(2 * 1024 * 1024)| {arguments: {n: 2}, result: 4}   | failed: the example {"n":2} ended with an error: TypeError: the result does not leave the cell
          return 2 * args.n                 | {arguments: {m: 2}, result: 4}   | failed: the arguments {"m":2} of an example do not fit parameters: required property 'n' not found
          return 2 * args.n                 |                                  | refused: the parameters do not fit: $.examples
          """)
  void codeThatDoesNotGiveItsExamplesIsRefusedWithWhatCameOut(
      String code, String examples, String told) {
    try (Sandbox brief = SandboxTest.sandbox("cpu = 2s, memory = 32 MiB");
        TestAgent agent =
            TestAgent.of(blueprint(ToolLibraryCapability.bind()))
                .service(Sandbox.class, brief)
                .model(model)
                .start()) {
      assertThat(outcome(agent, twice("define_tool", code, examples == null ? "" : examples)))
          .contains(told);
      assertThat(outcome(agent, "typeof tools.double")).isEqualTo("undefined");
    }
  }

  @Test
  void aToolIsReplacedByOneThatPassesItsExamplesTooAndRemoved() {
    String two = "{arguments: {n: 2}, result: 4}";
    String three = "{arguments: {n: 3}, result: 9}";
    try (TestAgent agent = agent()) {
      assertThat(outcome(agent, twice("replace_tool", "return 2 * args.n", two)))
          .isEqualTo("failed: there is no tool double, only []");
      assertThat(outcome(agent, twice("define_tool", "return 2 * args.n", two)))
          .contains("\"action\":\"tools.double\"");
      assertThat(outcome(agent, twice("define_tool", "return args.n ** 2", three)))
          .isEqualTo("failed: there is a tool double already: replace_tool replaces it");
      assertThat(outcome(agent, twice("replace_tool", "return 3 * args.n", three)))
          .isEqualTo("failed: the example {\"n\":2} gave 6, not 4");
      assertThat(outcome(agent, "tools.double({n: 5})")).isEqualTo("10");
      outcome(agent, twice("replace_tool", "return args.n ** 2", three));
      assertThat(outcome(agent, "tools.double({n: 5})")).isEqualTo("25");
      assertThat(outcome(agent, "tools.show_tool({name: 'double'}).examples.length"))
          .isEqualTo("2");
      assertThat(outcome(agent, "tools.double({})")).startsWith("refused: ");
      assertThat(outcome(agent, "tools.remove_tool({name: 'double'})")).contains("tools.double");
      assertThat(outcome(agent, "typeof tools.double")).isEqualTo("undefined");
    }
  }

  @Test
  void aLibraryHoldsNoMoreThanItMay() {
    try (TestAgent agent = agent()) {
      List<CodeTool> many = new ArrayList<>();
      for (int i = 0; i < ToolLibraryCapability.MOST_TOOLS; i++) {
        many.add(new CodeTool("t" + i, "x", JsonValues.toJson(Map.of()), "", List.of()));
      }
      Scope scope = new AgentId("test", "test", "agent").scope().namespace("tools");
      Object library = new ToolLibraryCapability.Library(many);
      agent.blackboard(scope).write(Write.value("tools", library)).toCompletableFuture().join();
      String call = twice("define_tool", "return 1", "{arguments: {n: 1}, result: 1}");
      assertThat(outcome(agent, call))
          .isEqualTo("failed: there are 32 tools, and no more are kept: remove_tool removes one");
      assertThat(outcome(agent, "tools.remove_tool({name: 't1'})")).contains("tools.t1");
      for (String name : List.of("show_tool", "Upper", "a-b")) {
        assertThat(outcome(agent, call.replace("'double'", "'" + name + "'")))
            .contains("a tool's name is 1 to 48 of a-z 0-9 _");
      }
      String long1 =
          twice("define_tool", "//" + "x".repeat(8_000), "{arguments: {n: 1}, result: 1}");
      assertThat(outcome(agent, long1))
          .startsWith("refused: ")
          .contains("at most 8,000 characters");
    }
  }

  /** A planner that writes no cells. */
  @Test
  void anyPolicyDefinesAndCallsThem() {
    Map<String, Object> example = Map.of("arguments", Map.of("n", 2), "result", 4);
    Object[] tool = {
      "name", "double",
      "description", "Doubles n.",
      "parameters", Map.of("type", "object"),
      "code", "return 2 * args.n",
      "examples", List.of(example)
    };
    AgentBlueprint blueprint =
        AgentBlueprint.of(
                ScriptedActionPolicy.class,
                Script.of(
                    ScriptedRule.first().act("tools.define_tool", tool),
                    ScriptedRule.after("tools.define_tool").act("tools.double", "n", 21),
                    ScriptedRule.after("tools.double").complete("$results.a2")))
            .capability(ToolLibraryCapability.bind());
    try (TestAgent agent = TestAgent.of(blueprint).service(Sandbox.class, sandbox).start()) {
      AgentRun run = agent.run("go");
      assertThat(run.error()).isEmpty();
      assertThat(agent.steps().action("tools.double").output().asInt()).isEqualTo(42);
    }
  }

  /** Wherever the process dies, the tool is there once and the next run calls it. */
  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverTheProcessDies(KillPoint.Side side) {
    String define = twice("define_tool", "return 2 * args.n", "{arguments: {n: 2}, result: 4}");
    model.expect("define it").anyTimes().answer(Desk.cell(define + "; complete(0)"));
    model.expect("call it").anyTimes().answer(Desk.cell("complete(tools.double({n: 21}))"));
    int writes =
        KillPoint.walk(
            side,
            point -> {
              try (TestAgent agent =
                  agent(blueprint(ToolLibraryCapability.bind())).killed(point).start()) {
                String when = point.toString();
                assertThat(agent.run("define it").error()).as(when).isEmpty();
                assertThat(agent.run("call it").output().asInt()).as(when).isEqualTo(42);
              }
            });
    assertThat(writes).isGreaterThanOrEqualTo(6);
  }

  @Test
  void thePageShowsWhatRuns() throws Exception {
    Guide.showsWhatRuns(PAGE, CodeGenerationActionPolicyTest.class, ToolLibraryTest.class);
  }
}
