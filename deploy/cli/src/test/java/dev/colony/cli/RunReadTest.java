package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.inference.RecordingModelServer.Reply;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A question that a model answers from the places that a search finds. */
class RunReadTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  private void replying(String selection, String reading) {
    rig.model().analysts((call, clues) -> Reply.answer(selection));
    rig.model().judge(call -> Reply.answer(reading));
  }

  private Finished ask(String... more) {
    return rig.run(
        Rig.with(
            List.of("run", rig.tree().toString(), "--ask", Rig.QUESTION),
            List.of(rig.onModel()),
            List.of(more)));
  }

  @Test
  void theAnswerCitesLinesByNumbers() {
    replying(
        "{\"ids\":[2],\"why\":\"\",\"words\":[]}",
        "{\"passages\":[{\"n\":1,\"why\":\"it says so\",\"grade\":2,\"lines\":\"3-4\"}],"
            + "\"answer\":\"Placement decides [1:3-4].\"}");

    Finished finished = ask();

    assertThat(finished.status()).as(finished.err()).isZero();
    assertThat(finished.out())
        .startsWith("Placement decides [1].\n\n[1] Placement")
        .contains(":3-4", "\n       3 | /** Decides on which node a shard is placed, clue ")
        .containsPattern("\\n2 model calls.* · run r-");
    assertThat(rig.model().calls()).hasSize(2);
  }

  @Test
  void withoutAnAnswerThePlacesAreShown() {
    replying(
        "{\"ids\":[1],\"why\":\"\",\"words\":[]}",
        "{\"passages\":[{\"n\":1,\"why\":\"\",\"grade\":0,\"lines\":\"\"}],\"answer\":\"\"}");

    Finished finished = ask("--json");

    assertThat(finished.status()).as(finished.err()).isZero();
    JsonNode json = finished.json();
    assertThat(json.path("kind").asText()).isEqualTo("answer");
    assertThat(json.get("answer").isNull()).isTrue();
    assertThat(json.path("hits").size()).isPositive();
    assertThat(ask().out())
        .startsWith("The model found no answer in the places that it read.\n\n1   Placement");
  }
}
