package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.inference.RecordingModelServer.Reply;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A run that was left behind, failed or interrupted: it goes on where it is asked to. */
class LeftRunTest {

  private static final Pattern RESUME = Pattern.compile("colony run --resume (\\S+)");
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
      Finished resumed = rig.resume(run.group(1));
      assertThat(Rig.essence(resumed)).contains(Rig.file(1));
      assertThat(resumed.err()).contains("no such adapter", "it is asked from its beginning");
      assertThat(resumed.json().path("runId").asText()).isEqualTo(run.group(1));
    }
  }

  @Test
  void interruptedRunTakesNoCallOfTheNextOne() {
    try (Rig rig = new Rig()) {
      Held held = rig.model().hold(Call::coordinators);
      ColonyProcess first = rig.askApart();
      held.await();
      first.interrupt();
      Matcher resume = RESUME.matcher(first.await().err());
      assertThat(resume.find()).isTrue();
      held.release();
      int before = rig.model().calls().size();
      String other = "Which class weighs a shard?";
      Finished next =
          rig.run(
              "run",
              rig.tree().toString(),
              "--ask",
              other,
              "--policy",
              "research",
              "--model-url",
              rig.model().uri().toString(),
              "--config",
              rig.config().toString());
      assertThat(next.status()).as(next.err()).isZero();
      List<Call> calls = rig.model().calls();
      assertThat(calls.subList(before, calls.size()))
          .isNotEmpty()
          .allSatisfy(call -> assertThat(call.said()).contains(other).doesNotContain(Rig.QUESTION));
      assertThat(Rig.essence(rig.resume(resume.group(1)))).contains(Rig.file(1));
    }
  }
}
