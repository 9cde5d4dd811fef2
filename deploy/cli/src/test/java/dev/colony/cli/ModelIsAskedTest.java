package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.cli.ScriptedModel.Quote;
import dev.colony.inference.RecordingModelServer.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an answer says comes from the model's replies, and these from the pages it was shown. */
class ModelIsAskedTest {

  private static Rig rig;
  private static Finished undisturbed;

  @BeforeAll
  static void start() {
    rig = new Rig();
    rig.up();
    undisturbed = ask();
    assertThat(undisturbed.status()).as(undisturbed.err()).isZero();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void byTheRules() {
    rig.model().analysts((call, clues) -> ScriptedModel.quoting(clues));
    rig.model().coordinator(call -> ScriptedModel.citingAll("", call));
  }

  @Test
  void theModelSawEveryPageThatIsCited() {
    assertThat(citedFiles(undisturbed)).containsExactlyInAnyOrderElementsOf(allFiles());
    List<String> prompts = new ArrayList<>();
    rig.model().calls().stream().filter(Call::analysts).forEach(c -> prompts.addAll(c.pages()));
    for (int i = 1; i <= Rig.FILES; i++) {
      String header = "=== " + Rig.file(i) + " (";
      String clue = Rig.clue(i);
      assertThat(prompts).anySatisfy(page -> assertThat(page).contains(header).contains(clue));
    }
    assertThat(undisturbed.json().path("stats").path("modelCalls").asInt())
        .as("words, a page each, judgement, answer")
        .isEqualTo(Rig.FILES + 3);
  }

  @Test
  void anotherReplyIsAnotherAnswer() {
    rig.model().coordinator(call -> ScriptedModel.citingAll("quite otherwise: ", call));
    assertThat(ask().json().path("answer").asText())
        .isEqualTo("quite otherwise: " + undisturbed.json().path("answer").asText());
  }

  @Test
  void aPageThatIsNotQuotedIsNotCited() {
    rig.model().analysts((call, clues) -> ScriptedModel.quoting(without(clues, Rig.file(2))));
    assertThat(citedFiles(ask()))
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(
            allFiles().stream().filter(file -> !file.equals(Rig.file(2))).toList());
  }

  @Test
  void aQuoteThatDoesNotStandOnThePageIsDropped() {
    rig.model()
        .analysts((call, clues) -> {
          List<Quote> quotes = new ArrayList<>(clues);
          quotes.add(new Quote(Rig.file(1), 3, "/** Invents what stands nowhere. */", 99));
          return ScriptedModel.quoting(quotes);
        });
    Finished asked = ask();
    assertThat(Rig.essence(asked)).isEqualTo(Rig.essence(undisturbed));
    assertThat(asked.json().path("droppedQuotes").asInt()).isEqualTo(Rig.FILES);
    assertThat(
            rig.model().calls().stream()
                .filter(call -> call.suffix().contains("Invents what stands nowhere")))
        .as("each was asked about once more")
        .hasSize(Rig.FILES);
  }

  @Test
  void aReaderIsShownWhatItWantsToSeeElsewhereAndMayQuoteThat() {
    rig.model()
        .analysts((call, clues) -> {
          if (call.suffix().startsWith("What you wanted to see:")) {
            return ScriptedModel.quoting(
                call.suffix().contains("=== " + Rig.file(2) + " (lines 1-5)")
                    ? List.of(new Quote(Rig.file(2), 3, Rig.clue(2), 9))
                    : List.of());
          }
          return clues.getFirst().file().equals(Rig.file(1))
              ? Reply.answer(
                  """
                  {"evidence": [], "look": [
                    {"tool": "grep", "of": "clue 2\\\\b", "first": 0, "last": 0},
                    {"tool": "definition", "of": "nowhere", "first": 0, "last": 0}]}
                  """)
              : ScriptedModel.quoting(List.of());
        });
    Finished asked = ask();
    assertThat(citedFiles(asked)).containsExactly(Rig.file(2));
    assertThat(asked.json().at("/citations/0/firstLine").asInt()).isEqualTo(3);
    assertThat(rig.model().calls())
        .filteredOn(call -> call.suffix().startsWith("What you wanted to see:"))
        .last()
        .satisfies(call -> {
          assertThat(call.pages().getFirst()).startsWith("=== " + Rig.file(1));
          assertThat(call.suffix()).contains("definition nowhere:");
        });
  }

  @Test
  void aPageIsLoadedByACallThatBeginsAsThatOfItsReader(@TempDir Path tree) throws IOException {
    Files.writeString(tree.resolve("Loaded.java"), "// a page of its own\n" + Rig.clue(9) + "\n");
    String map = rig.run("pages", "map", tree.toString(), "--json").json().path("map").asText();
    Finished loaded = rig.run("pages", "load", map);
    assertThat(loaded.status()).as(loaded.err()).isZero();
    assertThat(loaded.out()).startsWith("1 of 1 pages: 1 loaded, 0 were there, 0 failed; ");

    Finished asked = rig.run("run", map, "--ask", Rig.QUESTION, "--survey", "--json");
    assertThat(citedFiles(asked)).containsExactly("Loaded.java");
    List<Call> calls =
        rig.model().calls().stream()
            .filter(call -> call.analysts() && call.pages().getFirst().contains("Loaded.java"))
            .toList();
    assertThat(calls).as("one loads, one reads").hasSize(2);
    Call load = calls.getFirst();
    Call read = calls.getLast();
    assertThat(load.request().body()).containsPattern("\"max_(completion_)?tokens\":1\\D");
    assertThat(load.request().messages("system")).isEqualTo(read.request().messages("system"));
    assertThat(load.pages()).isEqualTo(read.pages());
    assertThat(load.request().schema()).isEqualTo(read.request().schema());

    Rig.assertOneLine(rig.run("pages", "load", "a".repeat(26)), 1, "no page map " + "a".repeat(26));
  }

  @Test
  void whatWasLoadedIsSaidWhereLoadingIsInterruptedAndGoesOn(@TempDir Path tree)
      throws IOException {
    for (int i = 1; i <= 3; i++) {
      Files.writeString(
          tree.resolve("Heavy%d.java".formatted(i)),
          "// number %d\n".formatted(i) + "int weighed(int load) { return load; }\n".repeat(18));
    }
    String map =
        rig.run("pages", "map", tree.toString(), "--json", "--config", rig.config().toString())
            .json()
            .path("map")
            .asText();
    Held held =
        rig.model().hold(call -> call.analysts() && call.pages().getFirst().contains("Heavy2"));
    try (ColonyProcess loading =
        ColonyProcess.start(
            rig.state(), Map.of("_JAVA_OPTIONS", "-Dcolony.terminal=true"), "pages", "load", map)) {
      held.await();
      loading.awaitErr("2/3");
      loading.interrupt();
      Finished interrupted = loading.await();
      assertThat(interrupted.status()).as(interrupted.err()).isEqualTo(130);
      assertThat(interrupted.err())
          .containsPattern(
              "interrupted: 2 of 3 pages: 2 loaded, 0 were there, 0 failed; \\d+ prompt tokens so"
                  + " far")
          .contains("the run goes on; follow it with: colony attach local/default/loading-" + map)
          .contains("colony pages load " + map + " loads what is missing then");
    }
    held.release();
    Finished again = rig.run("pages", "load", map);
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.out()).startsWith("3 of 3 pages: ").contains("0 failed");
  }

  @Test
  void aMiscountedLineIsMended() {
    rig.model()
        .analysts((call, clues) ->
            ScriptedModel.quoting(
                clues.stream()
                    .map(q -> new Quote(q.file(), q.line() + 7, q.text(), q.score()))
                    .toList()));
    assertThat(Rig.essence(ask())).isEqualTo(Rig.essence(undisturbed));
  }

  @Test
  void aReplyThatIsTooLargeToKeepLeavesItsPageUnread() {
    String flood = "x".repeat(600_000);
    rig.model()
        .analysts((call, clues) ->
            clues.getFirst().file().equals(Rig.file(2))
                ? ScriptedModel.quoting(List.of(new Quote(Rig.file(2), 1, flood, 1)))
                : ScriptedModel.quoting(clues));
    Finished asked = ask();
    assertThat(asked.json().path("unreadPages")).hasSize(1);
    assertThat(asked.status()).as("a quarter of the pages is unread").isEqualTo(1);
    assertThat(cited(asked)).doesNotContain(Rig.file(2)).hasSize(Rig.FILES - 1);
  }

  @Test
  void aServerThatBreaksBeforeTheAnswerIsComposedCostsTheAnswer() {
    rig.model().coordinator(call -> Reply.status(500, "worn out"));
    Rig.assertOneLine(ask(), 1, "answered 500: worn out");
  }

  @Test
  void nonsenseInPlaceOfEvidenceCostsTheAnswer() {
    rig.model().analysts((call, clues) -> Reply.answer("As a model, I would rather not."));
    Rig.assertOneLine(
        ask(), 1, "no analyst has an answer", "is not as it has to be: it is not JSON");
  }

  private static Finished ask() {
    return rig.run(
        "run",
        rig.tree().toString(),
        "--ask",
        Rig.QUESTION,
        "--policy",
        "research",
        "--json",
        "--config",
        rig.config().toString());
  }

  private static List<Quote> without(List<Quote> quotes, String file) {
    return quotes.stream().filter(quote -> !quote.file().equals(file)).toList();
  }

  private static List<String> allFiles() {
    return IntStream.rangeClosed(1, Rig.FILES).mapToObj(Rig::file).toList();
  }

  private static List<String> citedFiles(Finished asked) {
    assertThat(asked.status()).as(asked.err()).isZero();
    return cited(asked);
  }

  private static List<String> cited(Finished asked) {
    return StreamSupport.stream(asked.json().path("citations").spliterator(), false)
        .map((JsonNode citation) -> citation.path("file").asText())
        .toList();
  }
}
