package dev.colony.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.code.Cell.CellOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cells cannot reach: the host, calls that they were not given, and each other. */
class SandboxIsolationTest {

  private static final Sandbox PATIENT = SandboxTest.sandbox("cpu = 60s, time = 10m");

  private final List<String> called = new ArrayList<>();

  @AfterAll
  static void close() {
    PATIENT.close();
  }

  private CellOutcome run(String source) throws Exception {
    return PATIENT.execute(
        SandboxTest.cell(source, Map.of()),
        (number, key, params) -> SandboxTest.note(called, number, key, params));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.lang.System.exit(1)",
        "Java.type('java.lang.Runtime')",
        "Packages.java.io.File",
        "require('fs').readFileSync('/etc/passwd')",
        "process.env",
        "await fetch('http://127.0.0.1')",
        "new XMLHttpRequest()",
        "std.open('/etc/passwd', 'r')",
        "os.readdir('/')",
        "java_invoke('notes.add', 'call', '{}')",
        "Javy.IO.readSync(0, new Uint8Array(4))",
        "setTimeout(() => {}, 1)",
      })
  void nothingOfTheHostIsThere(String source) throws Exception {
    assertThat(run(source).error().orElseThrow()).contains("is not defined");
    assertThat(called).isEmpty();
  }

  @Test
  void modulesOfTheHostAreNotThere() throws Exception {
    assertThat(run("const fs = await import('fs'); fs.readFileSync('/etc/passwd')").error())
        .isPresent();
    assertThat(run("(0, eval)('this.constructor.constructor(\"return process\")()')").error())
        .isPresent();
  }

  @Test
  void itHasOnlyTheCallsThatItIsGiven() throws Exception {
    CellOutcome outcome =
        run(
            """
            for (const forge of [() => { notes.pay = () => 1 }, () => { print = 1 },
                () => { delete globalThis.notes }, () => { Object.defineProperty(globalThis, 'notes', {value: 1}) }]) {
              try { forge() } catch (e) { }
            }
            print(typeof notes.pay, typeof print, typeof notes.add)
            """);
    assertThat(outcome.printed()).isEqualTo("undefined function function\n");
    assertThat(run("notes.pay({})").error().orElseThrow()).startsWith("TypeError");
  }

  /** A cell that breaks its own world breaks nothing else. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "JSON.stringify = () => '{}'; JSON.parse = () => ({}); Object.keys = null",
        "Array.prototype.push = null; Array.prototype[Symbol.iterator] = null",
        "Promise.prototype.then = () => { throw 1 }; globalThis.Promise = null",
        "Object.prototype.error = 'forged'; Object.prototype.value = 'forged'",
        "String.prototype.slice = () => { throw 1 }; globalThis.String = null;"
            + " RegExp.prototype.exec = 1",
        "for (const name of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[name]"
            + " } catch (e) { } }",
      })
  void itBreaksNoWorldButItsOwn(String source) throws Exception {
    run(source + "\n;notes.add({text: 'a'})");
    assertThat(called).allMatch(call -> call.startsWith("1 notes.add "));
    CellOutcome next = run("print(notes.add({text: 'b'}).id, [1].push(2), JSON.stringify({a: 1}))");
    assertThat(next.printed()).isEqualTo("1 2 {\"a\":1}\n");
  }

  @Test
  void noOtherCellSeesWhatItLeavesInItsWorld() throws Exception {
    run("Array.prototype.extra = 1; globalThis.Math.x = 2");
    assertThat(run("print([].extra, Math.x)").printed()).isEqualTo("undefined undefined\n");
  }
}
