package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.inference.RecordingModelServer.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A model that sees a gap has what it asks for read, whatever dies meanwhile, and each page once.
 */
class SecondRoundTest {

  private static final Pattern RESUME = Pattern.compile("colony run --resume ([\\w.-]+)");
  private static final String GAP =
      """
      {"keep": [1], "gaps": [{"question": "Where is money booked?",
        "queries": ["Ledger money booked"]}]}
      """;

  private static final String NEXT = "And on which node is a shard placed then?";

  private final Rig rig = new Rig();

  @BeforeEach
  void aFileThatTheQuestionDoesNotFind() throws IOException {
    StringBuilder ledger =
        new StringBuilder("package money;\n\n/** Books money, clue 99. */\nfinal class Ledger {\n");
    for (int i = 0; i < 16; i++) {
      ledger.append("  long booked%d(long money) {\n    return money + %d;\n  }\n".formatted(i, i));
    }
    Files.writeString(rig.tree().resolve("Ledger.java"), ledger.append("}\n"));
    judgedToLackTheLedger();
  }

  private void judgedToLackTheLedger() {
    rig.model()
        .judge(call ->
            call.suffix().contains("clue 99") ? ScriptedModel.keepingAll(call) : Reply.answer(GAP));
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void whatIsMissingIsLookedForInPagesThatWereNotRead() {
    Finished finished = rig.ask().await();

    answeredInTwoRounds(finished, 0);
    Call second =
        rig.model().calls().stream().filter(SecondRoundTest::ledger).findFirst().orElseThrow();
    assertThat(second.suffix())
        .contains("Ledger money booked", "leaves open: Where is money booked?")
        .endsWith("Question: " + Rig.QUESTION);
  }

  @Test
  @Tag("faults")
  void anInterruptedRunGoesOnInItsSecondRound() {
    Held held = rig.model().hold(SecondRoundTest::ledger);
    var run = rig.askApart();
    held.await();

    run.interrupt();
    Finished interrupted = run.await();
    assertThat(interrupted.status()).as(interrupted.err()).isEqualTo(130);
    Matcher resume = RESUME.matcher(interrupted.err());
    assertThat(resume.find()).as(interrupted.err()).isTrue();
    held.release();

    answeredInTwoRounds(rig.resume(resume.group(1)), 0);
  }

  @Test
  @Tag("faults")
  void theOtherNodesGoOnInTheSecondRoundOfOneThatIsKilled() {
    Held held = rig.model().hold(SecondRoundTest::ledger);
    var run = rig.askApart("--nodes", "3");
    NodeRecord victim = rig.node(held.await().node());

    Rig.kill(victim.pid());
    held.release();

    answeredInTwoRounds(run.await(), 0);
    rig.assertNothingRuns();
  }

  @Test
  @Tag("faults")
  void theOtherNodesGoOnWithAQuestionThatFollowsAnother() {
    rig.model().judge(ScriptedModel::keepingAll);
    JsonNode first = rig.ask().await().json();
    int before = rig.model().calls().size();
    judgedToLackTheLedger();
    Held held = rig.model().hold(SecondRoundTest::ledger);
    var run =
        rig.start(
            Rig.with(
                List.of(
                    "run",
                    "--follow",
                    first.path("runId").asText(),
                    "--ask",
                    NEXT,
                    "--policy",
                    "research"),
                List.of(rig.onModel()),
                List.of("--json", "--nodes", "3")));
    NodeRecord victim = rig.node(held.await().node());

    Rig.kill(victim.pid());
    held.release();

    Finished finished = run.await();
    answeredInTwoRounds(finished, before);
    assertThat(finished.err()).as("nothing is mapped again").doesNotContain("mapping");
    assertThat(rig.model().calls().stream().skip(before).filter(Call::coordinators))
        .isNotEmpty()
        .allSatisfy(call ->
            assertThat(call.suffix())
                .contains(Rig.QUESTION, first.path("answer").asText().strip())
                .contains("Question: " + NEXT));
    rig.assertNothingRuns();
  }

  private static boolean ledger(Call call) {
    return call.analysts() && call.pages().getFirst().contains("Ledger.java (lines 1-");
  }

  /**
   * @param before how many calls other runs have made
   */
  private void answeredInTwoRounds(Finished finished, int before) {
    assertThat(finished.status()).as(finished.err()).isZero();
    assertThat(finished.json().path("rounds").asInt()).isEqualTo(2);
    assertThat(finished.json().path("citations"))
        .extracting(cited -> cited.path("file").asText())
        .contains("Ledger.java", Rig.file(1));
    List<Call> calls = rig.model().calls().stream().skip(before).toList();
    for (int i = 1; i <= Rig.FILES; i++) {
      String header = "=== " + Rig.file(i) + " (lines 1-";
      assertThat(calls.stream().filter(Call::analysts))
          .filteredOn(call -> call.pages().getFirst().contains(header))
          .as("the page of %s is read once", Rig.file(i))
          .hasSize(1);
    }
    assertThat(calls.stream().filter(Call::words)).as("words are asked for once").hasSize(1);
    assertThat(calls.stream().filter(Call::judges)).as("a judgement a round").hasSize(2);
  }
}
