package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.server.ProcessState;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ctrl-C at a terminal: one line that says how to go on, and nothing left running. */
class TerminalInterruptTest {

  private static final Pattern RESUME = Pattern.compile("colony run --resume (\\S+)");

  private final Rig rig = new Rig();
  private final List<ColonyProcess> started = new ArrayList<>();

  @AfterEach
  void stop() {
    started.forEach(ColonyProcess::close);
    rig.close();
  }

  @Test
  void aRunThatMaps() {
    ColonyProcess run = at("run", ProjectRoot.find().toString(), "--ask", Rig.QUESTION, "--survey");
    run.awaitOut("mapping");
    assertThat(interrupted(run)).contains("interrupted: the run had not begun");
  }

  @Test
  void aRunWhoseClusterStarts() {
    ColonyProcess run = ask();
    await().atMost(ColonyProcess.LONGEST).until(() -> rig.redis().isPresent());
    interrupted(run);
  }

  @Test
  @Tag("faults")
  void aRunThatAsks() {
    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess run = ask();
    held.await();
    Matcher resume = RESUME.matcher(interrupted(run));
    assertThat(resume.find()).isTrue();
    held.release();
    Finished resumed = rig.resume(resume.group(1));
    assertThat(Rig.essence(resumed)).isEqualTo(Rig.undisturbed());
  }

  @Test
  void aRunWhoseTerminalIsClosed() {
    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess run = ask();
    held.await();
    run.hangUp();
    assertThat(run.await().status()).isEqualTo(129);
    held.release();
    rig.assertNothingRuns();
  }

  /** A server that does not answer would be waited for; the person does not wait. */
  @Test
  void aRunThatIsInterruptedTwice() throws Exception {
    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess run = ask("--nodes", "2");
    held.await();
    List<ProcessHandle> nodes = run.handle().descendants().toList();
    long redis = rig.redis().orElseThrow().pid();
    freeze(redis);
    run.pressInterrupt();
    run.awaitOut("colony: interrupted; go on with: colony run --resume");
    run.pressInterrupt();
    assertThat(run.await().status()).isEqualTo(130);
    held.release();
    await().atMost(ColonyProcess.LONGEST).until(() -> !ProcessState.running(redis));
    await()
        .atMost(ColonyProcess.LONGEST)
        .until(() -> nodes.stream().noneMatch(ProcessHandle::isAlive));
    rig.assertNothingRuns();
  }

  @Test
  @Tag("faults")
  void aClusterThatIsToStayAndStarts() {
    ColonyProcess up = at("up", "--nodes", "2");
    await().atMost(ColonyProcess.LONGEST).until(() -> rig.redis().isPresent());
    assertThat(interrupted(up)).contains("interrupted; what this command had started is stopped");
    assertThat(rig.state().resolve("up.json")).doesNotExist();
  }

  /** What a terminal shows of an interrupted command, of which nothing runs on. */
  private String interrupted(ColonyProcess command) {
    String said = lastLine(command);
    assertThat(said).startsWith("colony: interrupted");
    rig.assertNothingRuns();
    return said;
  }

  static String lastLine(ColonyProcess command) {
    command.pressInterrupt();
    Finished ended = command.await();
    assertThat(ended.status()).as(ended.out()).isEqualTo(130);
    List<String> lines = ended.out().lines().filter(line -> !line.isBlank()).toList();
    assertThat(lines.stream().filter(line -> line.contains("colony: "))).isNotEmpty();
    return lines.getLast();
  }

  private ColonyProcess ask(String... more) {
    List<String> line =
        new ArrayList<>(List.of("run", rig.tree().toString(), "--ask", Rig.QUESTION));
    line.addAll(List.of("--policy", "research"));
    line.addAll(List.of("--model-url", rig.model().uri().toString()));
    line.addAll(List.of("--config", rig.config().toString()));
    line.addAll(List.of(more));
    return at(line.toArray(String[]::new));
  }

  private ColonyProcess at(String... arguments) {
    ColonyProcess command = ColonyProcess.atTerminal(rig.state(), Map.of(), arguments);
    started.add(command);
    return command;
  }

  private static void freeze(long pid) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-STOP", Long.toString(pid)).start().waitFor();
  }
}
