package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionDescription.ActionGroup;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.settings.Settings;
import dev.colony.code.Cell.CellOutcome;
import dev.colony.code.Sandbox.CodeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cells do, and what bounds them. */
class SandboxTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Long enough for an honest cell on a machine with other things to do. */
  private static final Sandbox PATIENT = sandbox("cpu = 60s, time = 10m");

  private static final Sandbox BRIEF = sandbox("cpu = 300ms, memory = 8 MiB");

  private final List<String> called = new ArrayList<>();

  /** A stopped cell's thread has long enough to end on a machine with other things to do. */
  static Sandbox sandbox(String settings) {
    return sandbox(settings, new Sandbox.Threads(1, MINUTE, MINUTE, 4));
  }

  private static Sandbox sandbox(String settings, Sandbox.Threads threads) {
    return new Sandbox(
        Settings.read(
            CodeSettings.class,
            ConfigFactory.parseString("colony.code { " + settings + " }")
                .withFallback(ConfigFactory.load())),
        threads);
  }

  @AfterAll
  static void close() {
    PATIENT.close();
    BRIEF.close();
  }

  static Functions functions(String... keys) {
    List<ActionDescription> actions = new ArrayList<>();
    for (String key : keys) {
      actions.add(
          new ActionDescription(
              key,
              "notes",
              "Does it.",
              Set.of(),
              JsonNodeFactory.instance.objectNode(),
              JsonNodeFactory.instance.objectNode(),
              List.of(),
              List.of(),
              true,
              Effect.INTERNAL,
              true,
              false,
              false,
              Duration.ofMinutes(1)));
    }
    return Functions.of(List.of(new ActionGroup("notes", "Notes.", actions)));
  }

  static Cell cell(String source, Map<String, JsonNode> variables) {
    return new Cell(
        source,
        7,
        Instant.parse("2026-01-02T03:04:05Z"),
        functions("notes.add", "notes.fail"),
        variables);
  }

  /** Answers a call, and notes it. */
  static Cell.Reply note(List<String> called, int number, String key, JsonNode params) {
    called.add(number + " " + key + " " + params);
    return key.equals("notes.fail")
        ? new Cell.Reply.Thrown("refused", "it is not allowed")
        : new Cell.Reply.Value(JsonNodeFactory.instance.objectNode().put("id", number));
  }

  private Cell.Reply note(int number, String key, JsonNode params) {
    return note(called, number, key, params);
  }

  private CellOutcome run(String source) throws Exception {
    return PATIENT.execute(cell(source, Map.of()), this::note);
  }

  private CellOutcome brief(String source) throws Exception {
    return BRIEF.execute(cell(source, Map.of()), this::note);
  }

  private static JsonNode json(String text) throws Exception {
    return JsonValues.parse(text);
  }

  @Test
  void whatItPrintsIsShown() throws Exception {
    CellOutcome outcome =
        run("print('a', 1, {b: [2, null]}); console.log(undefined, 3n); show('abcdef', 2, 4)");
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.printed())
        .isEqualTo("a 1 {\"b\":[2,null]}\nundefined 3\ncd [2 to 4 of 6 characters]\n");
    assertThat(run("return {a: 1}").printed()).isEqualTo("{\"a\":1}\n");
  }

  @Test
  void theVariablesOfItsTopLevelAreKept() throws Exception {
    CellOutcome outcome =
        run(
            """
            let a = 1; const {b, c: [d]} = {b: 'x', c: [null]}; var e = {f: true};
            g = [1]; for (let h = 0; h < 2; h++) { let inner = h }
            function helper() { const local = 1; return local }
            const m = new Map()
            """);
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.changed())
        .isEqualTo(
            Map.of(
                "a", Optional.of(json("1")),
                "b", Optional.of(json("\"x\"")),
                "d", Optional.of(json("null")),
                "e", Optional.of(json("{\"f\":true}")),
                "g", Optional.of(json("[1]"))));
    assertThat(outcome.unkept())
        .containsExactly("helper is not kept: it is a function", "m is not kept: it is a Map");
  }

  @Test
  void itSeesTheVariablesThatThereAreAndChangesThem() throws Exception {
    Map<String, JsonNode> before =
        Map.of("list", json("[1,2]"), "n", json("1"), "gone", json("0"), "same", json("{\"k\":1}"));
    CellOutcome outcome =
        PATIENT.execute(
            cell("list.push(3); let n = list.length; gone = undefined; print(same.k)", before),
            this::note);
    assertThat(outcome.printed()).isEqualTo("1\n");
    assertThat(outcome.changed())
        .isEqualTo(
            Map.of(
                "list", Optional.of(json("[1,2,3]")),
                "n", Optional.of(json("3")),
                "gone", Optional.empty()));
  }

  @Test
  void whatItHadChangedBeforeAnErrorIsKept() throws Exception {
    CellOutcome outcome = run("const a = 1\nconst b = a.c.d\nconst e = 2");
    assertThat(outcome.error().orElseThrow()).startsWith("TypeError: ").endsWith("(near line 1)");
    assertThat(outcome.changed()).containsOnlyKeys("a");
  }

  @Test
  void errorsNameTheLine() throws Exception {
    assertThat(run("let a = 1\nlet b = = 2\n").error().orElseThrow())
        .startsWith("SyntaxError: ")
        .endsWith("(near line 2)");
    assertThat(run("throw 'up'").error()).contains("Thrown: up");
    assertThat(run("\n\nnosuch()").error())
        .contains("ReferenceError: nosuch is not defined (near line 3)");
    assertThat(run("await new Promise(() => {})").error())
        .contains("the cell awaits what never comes");
  }

  @Test
  void itCallsActionsInTheirOrder() throws Exception {
    CellOutcome outcome =
        run(
            """
            const one = notes.add({text: 'a'}); const two = await notes.add({text: 'b', n: 2});
            try { notes.fail() } catch (e) { print(e.name, e.status, e.action, e.message) }
            print(one.id + two.id)
            """);
    assertThat(outcome.error()).isEmpty();
    assertThat(called)
        .containsExactly(
            "1 notes.add {\"text\":\"a\"}",
            "2 notes.add {\"text\":\"b\",\"n\":2}",
            "3 notes.fail {}");
    assertThat(outcome.printed())
        .isEqualTo("ActionError refused notes.fail it is not allowed\n3\n");
    assertThat(run("notes.add('text')").error().orElseThrow())
        .contains("notes.add takes one object");
  }

  @Test
  void aCallThatStopsItEndsItWhateverItCatches() throws Exception {
    CellOutcome outcome =
        PATIENT.execute(
            cell("let a = 1; try { notes.add() } catch (e) { } finally { print('on') }", Map.of()),
            (number, key, params) -> new Cell.Reply.Stop());
    assertThat(outcome.stopped()).isTrue();
    assertThat(outcome.printed()).isEmpty();
    assertThat(outcome.changed()).isEmpty();
    assertThat(outcome.error()).isEmpty();
  }

  @Test
  void whatACallThrowsEndsIt() {
    assertThatThrownBy(() ->
            PATIENT.execute(
                cell("notes.add()", Map.of()),
                (number, key, params) -> {
                  throw new IllegalStateException("left");
                }))
        .hasMessage("left");
    assertThat(PATIENT.executing()).isZero();
    assertThat(PATIENT.abandoned()).isZero();
  }

  @Test
  void itEndsTheRun() throws Exception {
    CellOutcome outcome = run("let a = 1; complete({a}); print('not reached')");
    assertThat(outcome.completed()).contains(json("{\"a\":1}"));
    assertThat(outcome.printed()).isEmpty();
    assertThat(outcome.changed()).containsOnlyKeys("a");
  }

  @Test
  void theSameCellDoesTheSame() throws Exception {
    String source = "print(Date.now(), new Date().toISOString(), Math.random(), Math.random())";
    CellOutcome outcome = run(source);
    assertThat(outcome.printed()).contains("2026-01-02T03:04:05");
    assertThat(run(source).printed()).isEqualTo(outcome.printed());
  }

  @Test
  void whatItPrintsIsBounded() throws Exception {
    CellOutcome outcome = run("print('x'.repeat(10000000)); print('later')");
    assertThat(outcome.more()).isTrue();
    assertThat(outcome.error()).isEmpty();
    assertThat(outcome.printed()).hasSize(8_000).doesNotContain("l");
  }

  @Test
  void whatItKeepsIsBounded() throws Exception {
    CellOutcome outcome = run("const big = 'x'.repeat(70000); const huge = 'x'.repeat(2000000)");
    assertThat(outcome.changed()).isEmpty();
    assertThat(outcome.unkept())
        .hasSize(2)
        .allMatch(line -> line.contains("characters as JSON") || line.contains("bytes as JSON"));
    CellOutcome many = run("for (let i = 0; i < 9; i++) globalThis['v' + i] = 'x'.repeat(60000)");
    assertThat(many.changed()).hasSize(4);
    assertThat(many.unkept()).hasSize(5);
  }

  @Test
  void itsCallsAreBounded() throws Exception {
    CellOutcome outcome =
        run("let n = 0; try { for (;;) { notes.add(); n++ } } catch (e) { print(n, e.message) }");
    assertThat(outcome.calls()).isEqualTo(50);
    assertThat(outcome.printed()).startsWith("50 a cell calls at most 50 actions");
    CellOutcome large = run("notes.add({text: 'x'.repeat(2000000)})");
    assertThat(large.error().orElseThrow()).contains("the parameters do not leave the cell");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "for (;;) {}",
        "for (;;) { try { for (;;) {} } catch (e) {} finally { continue } }",
        "/^(a+)+$/.test('a'.repeat(60) + 'b')",
        "await (async () => { for (;;) await null })()",
        "const all = []; for (;;) { try { for (;;) all.push(new Array(1000).fill(1)) } catch (e) {}"
            + " }",
      })
  void whatDoesNotEndIsStopped(String source) throws Exception {
    CellOutcome outcome = brief("let before = 1; " + source);
    assertThat(outcome.error()).contains("it computed for longer than PT0.3S");
    assertThat(outcome.changed()).isEmpty();
    assertThat(BRIEF.abandoned()).isZero();
    assertThat(BRIEF.executing()).isZero();
    assertThat(brief("print('next')").printed()).isEqualTo("next\n");
  }

  @Test
  void whatTakesTooLongByTheClockIsStopped() throws Exception {
    CellOutcome outcome =
        sandbox("cpu = 60s, time = 300ms").execute(cell("for (;;) {}", Map.of()), this::note);
    assertThat(outcome.error()).contains("it took longer than PT0.3S");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "const all = []; for (;;) all.push('y'.repeat(100000) + all.length)",
        "new Uint8Array(1000000000)",
        "let text = 'x'; for (;;) text += text",
        "new Array(4000000).fill({}).map(() => ({}))",
      })
  void whatTakesTooMuchMemoryFails(String source) throws Exception {
    CellOutcome outcome =
        sandbox("cpu = 60s, memory = 8 MiB").execute(cell(source, Map.of()), this::note);
    assertThat(outcome.error().orElseThrow())
        .containsAnyOf(
            "out of memory",
            "string too long",
            "invalid array buffer length",
            "invalid array length");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "function f(n) { return f(n + 1) + 1 } f(0)",
        "const f = () => [1].map(f); f()",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; JSON.stringify(a)",
      })
  void whatNestsTooDeeplyFails(String source) throws Exception {
    assertThat(run(source).error().orElseThrow()).contains("stack overflow");
  }

  @Test
  void cellsWaitForAnEngineAndNotForever() throws Exception {
    Sandbox one =
        sandbox(
            "engines = 1, cpu = 60s, time = 10m",
            new Sandbox.Threads(1, Duration.ofSeconds(1), MINUTE, 4));
    CountDownLatch within = new CountDownLatch(1);
    CompletableFuture<Void> held = new CompletableFuture<>();
    CompletableFuture<CellOutcome> first = new CompletableFuture<>();
    Thread.startVirtualThread(() -> {
      try {
        first.complete(
            one.execute(
                cell("notes.add(); print('done')", Map.of()),
                (number, key, params) -> {
                  within.countDown();
                  held.join();
                  return new Cell.Reply.Value(params);
                }));
      } catch (Exception failure) {
        first.completeExceptionally(failure);
        within.countDown();
      }
    });
    assertThat(within.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(first).isNotCompletedExceptionally();
    assertThat(one.executing()).isOne();
    assertThatThrownBy(() -> one.execute(cell("1", Map.of()), this::note))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("no engine was free within PT1S");
    held.complete(null);
    assertThat(first.get(60, TimeUnit.SECONDS).printed()).isEqualTo("done\n");
    assertThat(one.execute(cell("print('after')", Map.of()), this::note).printed())
        .isEqualTo("after\n");
  }

  @Test
  void theTimeOfItsCallsIsNotItsOwn() throws Exception {
    Sandbox brief = sandbox("cpu = 60s, time = 1s", new Sandbox.Threads(0, MINUTE, MINUTE, 4));
    CellOutcome outcome =
        brief.execute(
            cell("notes.add(); print('done')", Map.of()),
            (number, key, params) -> {
              long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1_500);
              while (System.nanoTime() < until) {
                Thread.onSpinWait();
              }
              return new Cell.Reply.Value(params);
            });
    assertThat(outcome.printed()).isEqualTo("done\n");
  }

  @Test
  void anInterruptEndsItWithItsThread() throws Exception {
    Sandbox patient = sandbox("cpu = 10m, time = 1h");
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    CountDownLatch within = new CountDownLatch(1);
    Thread thread =
        Thread.startVirtualThread(() -> {
          try {
            patient.execute(
                cell("notes.add(); for (;;) {}", Map.of()),
                (number, key, params) -> {
                  within.countDown();
                  return new Cell.Reply.Value(params);
                });
          } catch (Exception failure) {
            thrown.complete(failure);
          }
        });
    assertThat(within.await(60, TimeUnit.SECONDS)).isTrue();
    thread.interrupt();
    assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
    assertThat(patient.executing()).isZero();
    assertThat(patient.abandoned()).isZero();
  }
}
