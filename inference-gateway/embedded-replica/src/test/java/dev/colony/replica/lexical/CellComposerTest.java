package dev.colony.replica.lexical;

import static dev.colony.inference.InferenceFixtures.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.replica.lexical.Tools.Call;
import dev.colony.replica.lexical.Tools.Tool;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Prompts as {@code colony.code} writes them, and the cells that come of them. */
class CellComposerTest {

  private static final List<Tool> TOOLS =
      Stream.of("run_cell", "complete", "idle", "fail")
          .map(name -> new Tool(name, "", json("{\"type\": \"object\"}")))
          .toList();

  private static final String SYSTEM =
      """
      You work by writing small programs in JavaScript, called cells, one in each reply.

      ## Functions
      ```ts
      // notes: Keeps notes.
      notes.write({text: string /* what to keep */, tags?: string[]}): {id: string}  // Stores a note.
      notes.list(): string[]  // Lists the names of notes.
      notes.read({name: string}): string  // Reads a note.
      notes.open({name: string}): string  // Opens a note for reading.
      ```\
      """;

  private static final String ASK = "\n\nReply with the next cell, or with an end.";

  @Test
  void aCellCallsAFunctionForEachStep() {
    Call call = asked("## Goals\n- Store a note that says \"buy milk\"" + ASK);
    assertThat(call.name()).isEqualTo("run_cell");
    assertThat(call.arguments().path("code").asText())
        .isEqualTo(
            """
            const r1 = notes.write({"text": "buy milk"})
            print('step 1:', String(JSON.stringify(r1)).slice(0, 200))
            complete(r1)\
            """);
  }

  @Test
  void whatIsDoneForEachIsALoop() {
    Call call = asked("## Goals\n- List the notes; for each note: read the note" + ASK);
    assertThat(call.arguments().path("code").asText())
        .isEqualTo(
            """
            const r1 = notes.list()
            print('step 1:', String(JSON.stringify(r1)).slice(0, 200))
            const r2 = []
            for (const e1 of (Array.isArray(r1) ? r1 : r1.notes ?? Object.values(r1)\
            .find(Array.isArray) ?? [])) {
              const r2_1 = notes.read({"name": (e1.name ?? e1)})
              r2.push(r2_1)
            }
            print('step 2:', String(JSON.stringify(r2)).slice(0, 200))
            complete(r2)\
            """);
  }

  @Test
  void anErrorHasTheFunctionThatFitsSecondBestCalledAndThenTheEnd() {
    String goals = "## Goals\n- List the notes; read the note \"tea\"";
    Call second = asked(goals, "step 1: [\"tea\"]\nError: no such note", ASK.strip());
    assertThat(second.arguments().path("code").asText())
        .startsWith("const r2 = notes.open({\"name\": \"tea\"})");
    Call third =
        asked(goals, "step 1: [\"tea\"]\nError: no such note", "Error: locked", ASK.strip());
    assertThat(third.name()).isEqualTo("fail");
    assertThat(third.arguments().path("reason").asText()).isEqualTo("locked");
  }

  @Test
  void withoutGoalsItIsIdle() {
    assertThat(asked(ASK.strip()).name()).isEqualTo("idle");
  }

  private static Call asked(String... messages) {
    List<String> said = new ArrayList<>(List.of(SYSTEM));
    said.addAll(List.of(messages));
    return new LexicalModel(0)
        .call(
            LexicalPrompt.of(said, Optional.empty()),
            new Tools(TOOLS, new Tools.Choice.Auto(), List.of()))
        .orElseThrow();
  }
}
