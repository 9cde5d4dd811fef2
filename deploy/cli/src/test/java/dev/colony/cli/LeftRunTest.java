package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.inference.RecordingModelServer.Reply;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A run that was left behind, failed or interrupted: it goes on where it is asked to. */
class LeftRunTest {

  private static final Pattern RESUME = Pattern.compile("colony run --resume (\\S+)");
  private static final String OTHER = "Which class weighs a shard?";
  private static final String[] TWO = {"--nodes", "2"};
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
      String left = interrupted(rig, Call::coordinators);
      othersAreAsked(rig, () -> rig.run(other(rig, rig.onModel())));
      assertThat(Rig.essence(rig.resume(left))).contains(Rig.file(1));
    }
  }

  @Test
  void interruptedRunOfTwoNodesTakesNoCallOfTheNextOne() {
    try (Rig rig = new Rig()) {
      String left = interrupted(rig, Call::coordinators, TWO);
      othersAreAsked(
          rig, () -> rig.start(other(rig, Rig.with(List.of(rig.onModel()), List.of(TWO)))).await());
      assertThat(Rig.essence(rig.start(again(rig, left)).await())).contains(Rig.file(1));
    }
  }

  @Test
  void interruptedRunWaitsInTheClusterThatIsUpUntilItIsResumed() {
    try (Rig rig = new Rig()) {
      String left = interrupted(rig, Call::analysts);
      othersAreAsked(
          rig,
          () -> {
            rig.up();
            return rig.run(other(rig));
          });
      assertThat(rig.run("runs").out())
          .contains("it began without this cluster: colony run --resume " + left);
      assertThat(Rig.essence(rig.run("run", "--resume", left, "--json"))).contains(Rig.file(1));
    }
  }

  /** The options of a run that begins and is interrupted while a call is held; its id. */
  private static String interrupted(Rig rig, Predicate<Call> when, String... options) {
    Held held = rig.model().hold(when);
    ColonyProcess first = rig.askApart(options);
    held.await();
    first.interrupt();
    Matcher resume = RESUME.matcher(first.await().err());
    assertThat(resume.find()).isTrue();
    held.release();
    return resume.group(1);
  }

  /** Asks another question, and all calls meanwhile are about that one. */
  private static void othersAreAsked(Rig rig, Supplier<Finished> ask) {
    int before = rig.model().calls().size();
    Finished next = ask.get();
    assertThat(next.status()).as(next.err()).isZero();
    List<Call> calls = rig.model().calls();
    assertThat(calls.subList(before, calls.size()))
        .isNotEmpty()
        .allSatisfy(call -> assertThat(call.said()).contains(OTHER).doesNotContain(Rig.QUESTION));
  }

  private static String[] other(Rig rig, String... options) {
    return Rig.with(
        List.of("run", rig.tree().toString(), "--ask", OTHER, "--policy", "research"),
        List.of(options));
  }

  private static String[] again(Rig rig, String run) {
    return Rig.with(List.of("run", "--resume", run, "--json"), List.of(rig.onModel()));
  }
}
