package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.agent.client.StepView.ActionView;
import dev.colony.code.CodePrompt.CodeLayers;
import dev.colony.library.policy.PlannerArgs;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.TestAgent;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents whose model, a server of these tests, writes cells. */
class CodeGenerationActionPolicyTest extends CodeFixture {

  private static final Sandbox BRIEF =
      SandboxTest.sandbox("cpu = 300ms, memory = 8 MiB, failing-cells = 3");

  private final Desk.Deeds deeds = new Desk.Deeds();

  @AfterAll
  static void closeBrief() {
    BRIEF.close();
  }

  private static AgentBlueprint blueprint() {
    return blueprint(
        CodeGenerationActionPolicy.Args.NONE.planner(
            PlannerArgs.NONE.role("You keep the notes of a shop.")));
  }

  private static AgentBlueprint blueprint(CodeGenerationActionPolicy.Args args) {
    // guide: blueprint
    AgentBlueprint clerk =
        AgentBlueprint.of(CodeGenerationActionPolicy.class, args)
            .capability(CapabilityBlueprint.of(Desk.Notes.class).key("notes"));
    // guide end
    return clerk;
  }

  private TestAgent.Builder agent(AgentBlueprint blueprint, Sandbox sandbox) {
    return TestAgent.of(blueprint)
        .service(Sandbox.class, sandbox)
        .service(Desk.Deeds.class, deeds)
        .model(model);
  }

  private TestAgent agent() {
    return agent(blueprint(), sandbox).start();
  }

  private static String cell(String source) {
    return Desk.cell(source);
  }

  @Test
  void cellsCallActionsAndWhatTheyPrintIsShownToTheModel() {
    model
        .expect("You keep the notes", "notes.find(", "how much is there?")
        .answer(
            cell(
                """
                const rows = notes.find({topic: 'tea'})
                const total = rows.reduce((sum, row) => sum + row.n, 0)
                print('found', rows.length, rows[0].line)\
                """));
    model
        .expect("found 2 tea one", "total: 5", "rows: list of 2")
        .answer(
            "{\"end\": \"complete\", \"result\": {\"total\": \"$total\", \"last\":"
                + " \"$rows.1.line\"}}");
    try (TestAgent agent = agent()) {
      AgentRun run = agent.run("how much is there?");
      assertThat(run.error()).isEmpty();
      assertThat(run.output().toString()).isEqualTo("{\"total\":5,\"last\":\"tea two\"}");
      assertThat(run.stats().modelCalls()).isEqualTo(2);
      assertThat(agent.steps().actions()).extracting(ActionView::key).containsExactly("notes.find");
    }
  }

  @Test
  void oneCellMayDoItAll() {
    model
        .expect("send it")
        .answer(
            cell(
                """
                for (const row of notes.find({topic: 'tea'})) notes.send({line: row.line})
                complete('done')\
                """));
    try (TestAgent agent = agent()) {
      AgentRun run = agent.run("send it");
      assertThat(run.error()).isEmpty();
      assertThat(run.output().asText()).isEqualTo("done");
      assertThat(deeds.all("send"))
          .extracting(Desk.Deeds.Deed::what)
          .containsExactly("tea one", "tea two");
    }
  }

  @Test
  void whatGoesWrongInACellIsToldAndTheNextGoesOn() {
    model.expect("go").answer(cell("let a = 1\nnotes.find({subject: 'tea'})"));
    model
        .expect("Error: ActionError: ", "parameters do not fit", "a: 1")
        .answer(cell("print(a + 1); b.c"));
    model
        .expect("2\nError: ReferenceError: b is not defined")
        .answer("```json\n{\"end\": \"fail\", \"reason\": \"no way\"}\n```");
    try (TestAgent agent = agent()) {
      AgentRun run = agent.run("go");
      assertThat(run.error()).contains("gave up: no way");
    }
  }

  @Test
  void largeOutputsAreThereAsAWhole() {
    model
        .expect("go")
        .answer(cell("const all = notes.large(); show(all, 200000, 200100); complete(all.length)"));
    try (TestAgent agent = agent()) {
      assertThat(agent.run("go").output().asInt()).isEqualTo(200_008);
    }
  }

  @Test
  void aCellThatAPersonHasToApproveGoesOnWhenTheyHave() {
    model
        .expect("clean up")
        .answer(
            cell(
                """
                const sent = notes.send({line: 'before'})
                notes.weigh({grams: 1.5e-7}); notes.weigh({grams: 3e21}); notes.weigh({grams: 0.1})
                print(notes.delete({what: 'tea'}))
                complete(sent)\
                """));
    try (TestAgent agent = agent()) {
      RunId run = agent.ask("clean up");
      agent.settle();
      assertThat(agent.result(run)).isEmpty();
      assertThat(deeds.all("delete")).isEmpty();
      agent.crash();
      assertThat(agent.result(run)).isEmpty();
      String request = request(agent);
      agent.handle().approve(request, "ann", "").join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText()).isEqualTo("sent before");
      assertThat(deeds.all("delete")).hasSize(1);
      assertThat(deeds.all("send")).hasSize(1);
      assertThat(deeds.all("weigh")).hasSize(3);
    }
  }

  private static String request(TestAgent agent) {
    String waits = agent.steps().action("notes.delete").error().orElseThrow();
    return waits.replaceFirst("a person has to approve ([^:]+):.*", "$1");
  }

  @Test
  void aRefusalOfAPersonIsAnErrorOfTheCell() {
    model
        .expect("clean up")
        .answer(
            cell(
                "try { notes.delete({what: 'tea'}) } catch (e) { complete(e.status + ': ' +"
                    + " e.message) }"));
    try (TestAgent agent = agent()) {
      RunId run = agent.ask("clean up");
      agent.settle();
      String request = request(agent);
      agent.handle().deny(request, "ann", "we need it").join();
      agent.settle();
      assertThat(agent.result(run).orElseThrow().output().asText())
          .startsWith("refused: ")
          .contains("denied by ann: we need it");
      assertThat(deeds.all()).isEmpty();
    }
  }

  @Test
  void theResultIsHeldAgainstWhatTheRunGives() {
    ActionPolicyIO io = ActionPolicyIO.builder().output("total", int.class).build();
    model.expect("The result is {total: number").answer(cell("complete({total: 'many'})"));
    model.expect("Error: output total").answer("{\"end\": \"complete\", \"result\": {}}");
    model
        .expect("Your reply was not usable: output total: is missing")
        .answer("{\"end\": \"complete\", \"result\": {\"total\": 3}}");
    try (TestAgent agent =
        agent(
                blueprint(CodeGenerationActionPolicy.Args.NONE.planner(PlannerArgs.NONE.io(io))),
                sandbox)
            .start()) {
      assertThat(agent.run("go").output().path("total").asInt()).isEqualTo(3);
    }
  }

  /** Each prompt is the one before and something at its end. */
  @Test
  void promptsOnlyGrowAtTheirEnds() {
    for (int i = 0; i < 12; i++) {
      model
          .expect("go")
          .answer(cell("print('cell " + i + "'.repeat(40)); const v" + i + " = " + i));
    }
    model.expect("go").answer("{\"end\": \"complete\", \"result\": null}");
    try (TestAgent agent = agent()) {
      assertThat(agent.run("go").error()).isEmpty();
    }
    List<String> prompts =
        model.prompts().stream()
            .map(one -> one.system() + String.join("\n", one.messages()))
            .toList();
    for (int i = 1; i < prompts.size(); i++) {
      String before = prompts.get(i - 1);
      int shared = shared(before, prompts.get(i));
      int left = before.lastIndexOf("## What you may still use");
      int changing = left < 0 ? CodeLayers.ASK.length() : before.length() - left;
      assertThat(shared)
          .as("of prompt " + i)
          .isGreaterThanOrEqualTo(before.length() - changing - 2);
    }
  }

  private static int shared(String one, String other) {
    int at = 0;
    while (at < Math.min(one.length(), other.length()) && one.charAt(at) == other.charAt(at)) {
      at++;
    }
    return at;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "for (;;) {}",
        "const all = []; for (;;) all.push('y'.repeat(100000) + all.length)",
        "function f() { return f() + 1 } f()",
        "require('fs').readFileSync('/etc/passwd')",
        "java.lang.Runtime.getRuntime().exec('id')",
        "notes.send({line: {toString: 1}, $ref: '$results.c1.1'})",
        "notes['constructor']('return 1')()",
      })
  void aModelThatWritesHostileCellsFailsItsRun(String source) {
    model.expect().usage(100, 0, 10).anyTimes().answer(cell(source));
    try (TestAgent agent = agent(blueprint(), BRIEF).start()) {
      AgentRun run = agent.run("go");
      assertThat(run.error().orElseThrow()).startsWith("3 cells in a row have failed, the last: ");
      assertThat(run.stats().modelCalls()).isEqualTo(3);
      assertThat(run.stats().usage().promptTokens()).isEqualTo(300);
      assertThat(agent.state()).isEqualTo(AgentState.IDLE);
      assertThat(deeds.all("send")).isEmpty();
      assertThat(BRIEF.executing()).isZero();
      assertThat(BRIEF.abandoned()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"nothing", "{\"end\": \"dance\"}", "{\"end\": ", "```js\n```", "huge"})
  void aModelThatSaysNothingUsableFailsItsRun(String reply) {
    String said = reply.equals("huge") ? cell("x".repeat(1_000_000)) : reply;
    model.expect().usage(100, 0, 10).anyTimes().answer(said);
    try (TestAgent agent =
        agent(blueprint(), BRIEF).settings("colony.agent.policy.unusable-answers = 2").start()) {
      AgentRun run = agent.run("go");
      assertThat(run.error().orElseThrow())
          .startsWith("the model gave no usable answer in 2 iterations");
      assertThat(run.stats().usage().promptTokens()).isEqualTo(100L * model.count());
      assertThat(model.count()).as("each is repaired once").isEqualTo(4);
    }
  }

  @Test
  void aModelThatNeverEndsReachesItsBudget() {
    model.expect().usage(1_000, 0, 10).anyTimes().answer(cell("print('x'.repeat(10000000))"));
    RunBudget budget =
        new RunBudget(Optional.of(5), Optional.empty(), Optional.empty(), Optional.empty());
    try (TestAgent agent = agent(blueprint().budget(budget), sandbox).start()) {
      AgentRun run = agent.run("go");
      assertThat(run.status()).isEqualTo(AgentRun.Status.FAILED);
      assertThat(run.stats().usage().promptTokens()).isEqualTo(1_000L * model.count());
      assertThat(model.count()).isLessThanOrEqualTo(6);
    }
  }

  /** What a cell passes is what it is, also where it looks like a reference. */
  @Test
  void noCellReadsWhatItNames() {
    model
        .expect("go")
        .answer(cell("complete(notes.send({line: '$results.c1.1'}) + notes.send({line: '$$x'}))"));
    try (TestAgent agent = agent()) {
      assertThat(agent.run("go").output().asText()).isEqualTo("sent $results.c1.1sent $$x");
    }
  }

  /** Wherever the process dies, nothing is done twice and what was done is not asked again. */
  @ParameterizedTest
  @EnumSource(KillPoint.Side.class)
  void whereverTheProcessDiesInACell(KillPoint.Side side) {
    model
        .expect("go")
        .anyTimes()
        .answer(prompt ->
            prompt.text().contains("sent tea one")
                ? "{\"end\": \"complete\", \"result\": {\"sent\": \"$sent\", \"at\": \"$at\"}}"
                : cell(
                    """
                    const at = [Date.now(), Math.random()]
                    const sent = []
                    for (const row of notes.find({topic: 'tea'})) sent.push(notes.send({line: row.line}))
                    try { sent.push(notes.pay({amount: 3})) } catch (e) { sent.push(e.status) }
                    print(sent)\
                    """));
    Set<JsonNode> clocks = new HashSet<>();
    int writes =
        KillPoint.walk(
            side,
            point -> {
              Desk.Deeds world = new Desk.Deeds();
              int asked = model.count();
              try (TestAgent agent =
                  agent(blueprint(), sandbox)
                      .service(Desk.Deeds.class, world)
                      .killed(point)
                      .start()) {
                AgentRun run = agent.run("go");
                String when = point + ": " + agent.journal();
                assertThat(run.error()).as(when).isEmpty();
                assertThat(run.output().path("sent")).as(when).hasSize(3);
                assertThat(run.output().at("/sent/0").asText()).as(when).isEqualTo("sent tea one");
                assertThat(run.output().at("/sent/2").asText())
                    .as(when)
                    .isIn("paid 3", "interrupted");
                clocks.add(run.output().path("at"));
                assertThat(world.all("pay")).as(when).hasSizeLessThanOrEqualTo(1);
                Map<String, Long> times =
                    world.all("send").stream()
                        .collect(
                            Collectors.groupingBy(
                                Desk.Deeds.Deed::idempotencyKey, Collectors.counting()));
                assertThat(times).as(when).hasSize(2);
                // What had happened when the process died before it was journaled is done again
                // under its key; nothing else is.
                long again = world.all().size() - world.all().stream().distinct().count();
                assertThat(again).as(when).isLessThanOrEqualTo(1);
                assertThat(agent.steps().actions())
                    .as(when)
                    .extracting(ActionView::key)
                    .containsExactly("notes.find", "notes.send", "notes.send", "notes.pay");
                assertThat(model.count() - asked).as(when).isBetween(2, 3);
              }
            });
    assertThat(writes).isGreaterThanOrEqualTo(10);
    assertThat(clocks).as("what the cell's clock and its random numbers were").hasSize(1);
  }
}
