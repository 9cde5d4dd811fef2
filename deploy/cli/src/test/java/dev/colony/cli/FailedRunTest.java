package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.inference.RecordingModelServer.Reply;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A run that failed for what is mended goes on with the same id. */
class FailedRunTest {

  private static final Pattern FAILED = Pattern.compile("colony: run (\\S+) failed: ");

  @Test
  void failedRunIsAskedFromItsBeginning() {
    try (Rig rig = new Rig()) {
      Reply refused = Reply.status(400, "{\"error\":{\"message\":\"no such adapter\"}}");
      rig.model().analysts((call, clues) -> refused);
      rig.model().coordinator(call -> refused);
      Finished failed = rig.ask().await();
      Matcher run = FAILED.matcher(failed.err());
      assertThat(run.find()).as(failed.err()).isTrue();
      assertThat(failed.status()).isEqualTo(1);
      rig.model().analysts((call, clues) -> ScriptedModel.quoting(clues));
      rig.model().coordinator(call -> ScriptedModel.citingAll("", call));
      Finished resumed = rig.resume(run.group(1)).await();
      assertThat(Rig.essence(resumed)).contains(Rig.file(1));
      assertThat(resumed.err()).contains("no such adapter", "it is asked from its beginning");
      assertThat(resumed.json().path("runId").asText()).isEqualTo(run.group(1));
    }
  }
}
