package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ctrl-C leaves nothing running, and the run can be resumed. */
class InterruptTest {

  private static final Pattern RESUME = Pattern.compile("colony run --resume (\\S+)");

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @Test
  void aRunInOneProcess() {
    interruptedAndResumed();
  }

  @Test
  @Tag("faults")
  void aRunOnThreeNodes() {
    interruptedAndResumed("--nodes", "3");
  }

  @Test
  void aRunThatHasJustBegun() {
    ColonyProcess run = rig.askApart();
    await().atMost(ColonyProcess.LONGEST).until(() -> Files.exists(rig.state()));
    run.interrupt();
    Finished interrupted = run.await();
    Rig.assertOneLine(interrupted, 130, "interrupted: the run had not begun");
    assertThat(interrupted.err()).doesNotContain("--resume");
    rig.assertNothingRuns();
  }

  @Test
  @Tag("faults")
  void aRunWhoseClusterStarts() {
    ColonyProcess run = rig.askApart();
    await().atMost(ColonyProcess.LONGEST).until(() -> rig.redis().isPresent());
    run.interrupt();
    Finished interrupted = run.await();
    assertThat(interrupted.status()).isEqualTo(130);
    assertThat(interrupted.err()).contains("colony: interrupted").doesNotContain("fault");
    rig.assertNothingRuns();
  }

  @Test
  void aClusterThatIsToStayAndStarts() {
    ColonyProcess up = rig.start("up", "--nodes", "2");
    await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> up.handle().children().filter(InterruptTest::isNode).count() == 2);
    List<ProcessHandle> nodes = up.handle().children().toList();
    up.handle().destroy();
    assertThat(up.await().err().lines())
        .containsExactly("colony: interrupted; what this command had started is stopped");
    assertThat(nodes).noneMatch(ProcessHandle::isAlive);
    rig.assertNothingRuns();
    assertThat(rig.state().resolve("up.json")).doesNotExist();
  }

  @Test
  void aKilledCommandTakesItsNodesWithIt() {
    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess run = rig.askApart("--nodes", "2");
    held.await();
    List<ProcessHandle> nodes =
        rig.nodes().stream().map(node -> node.process().orElseThrow()).toList();
    assertThat(nodes).hasSize(2);

    Rig.kill(run.handle().pid());
    await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> nodes.stream().noneMatch(ProcessHandle::isAlive));
    held.release();

    assertThat(rig.redis()).as("it is found by the next command").isPresent();
    assertThat(rig.run("down").status()).isZero();
    rig.assertNothingRuns();
  }

  private static boolean isNode(ProcessHandle process) {
    return process.info().command().orElse("").endsWith("java");
  }

  private void interruptedAndResumed(String... options) {
    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess run = rig.askApart(options);
    held.await();

    run.interrupt();
    Finished interrupted = run.await();
    assertThat(interrupted.status()).isEqualTo(130);
    assertThat(interrupted.out()).isEmpty();
    List<String> said =
        interrupted.err().lines().filter(line -> !line.startsWith("mapping: ")).toList();
    assertThat(said).singleElement().asString().startsWith("colony: interrupted");
    rig.assertNothingRuns();

    Matcher resume = RESUME.matcher(interrupted.err());
    assertThat(resume.find()).as(interrupted.err()).isTrue();
    assertThat(rig.run("runs").out())
        .contains(Rig.QUESTION, "no node is up: colony run --resume " + resume.group(1));
    rig.assertNothingRuns();
    held.release();
    Finished resumed =
        options.length == 0
            ? rig.resume(resume.group(1))
            : rig.start(
                    Rig.with(
                        List.of("run", "--resume", resume.group(1), "--json"),
                        List.of(rig.onModel()),
                        List.of(options)))
                .await();
    assertThat(Rig.essence(resumed)).isEqualTo(Rig.undisturbed());
    assertThat(resumed.json().path("runId").asText()).isEqualTo(resume.group(1));
    rig.assertNothingRuns();
  }
}
