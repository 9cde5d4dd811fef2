package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that is run again when it is saved. */
class DevCommandTest {

  private static final String PROGRAM =
      """
      import dev.colony.agent.author.ActionExecutor;
      import dev.colony.agent.client.Agents;
      import dev.colony.agent.client.Colony;

      public final class Words {

        record Term(String term) {}

        @ActionExecutor(summary = "Looks a word up.")
        String lookUp(Term term) {
          return "the front";
        }

        public static void main(String[] args) {
          try (Colony colony = Colony.local()) {
            var agent = colony.spawn(Agents.named("words").tools(new Words()).goal("%s"));
            System.out.println("answer: " + agent.ask(args[0]))%s
          }
        }
      }
      """;

  @TempDir private Path folder;

  private void save(String goal, String end) throws Exception {
    Files.writeString(folder.resolve("Words.java"), PROGRAM.formatted(goal, end));
  }

  /** Which of the goals a prompt has. */
  private static Reply reply(RecordingModelServer.Recorded request) {
    String goal = request.json().toString().contains("Be long.") ? "long" : "short";
    return ScriptedPlanner.calling(
        "complete", JsonNodeFactory.instance.objectNode().put("result", goal));
  }

  private ColonyProcess dev(RecordingModelServer model, String... arguments) {
    return ColonyProcess.start(
        folder.resolve("state"), Map.of("COLONY_MODEL_URL", model.uri().toString()), arguments);
  }

  @Test
  void aProgramRunsAgainWhenItIsSavedAndAnErrorOfTheCompilerIsShown() throws Exception {
    save("Be short.", ";");
    String source = folder.resolve("Words.java").toString();
    try (RecordingModelServer model = RecordingModelServer.start(DevCommandTest::reply);
        ColonyProcess dev = dev(model, "dev", source, "What is a bow?")) {
      dev.awaitOut(
          "-- Words \"What is a bow?\"\nanswer: short\n-- steps of default/default/words\n");
      dev.awaitErr("it runs again when its source is saved");
      assertThat(dev.out()).contains(" tokens  scripted-1");
      save("Be long.", "");
      dev.awaitErr("Words.java:17: error: ';' expected");
      save("Be long.", ";");
      dev.awaitOut("answer: long");
      assertThat(dev.out()).doesNotContain("no model answers");
      dev.interrupt();
      Finished end = dev.await();
      assertThat(end.status()).isEqualTo(130);
      assertThat(end.err().lines().toList().getLast()).isEqualTo("colony: dev has ended");
      assertThat(dev.handle().descendants()).isEmpty();
    }
    assertThat(folder.resolve(".colony/logs/dev.log")).exists();
  }

  @Test
  void whatCannotBeRunIsRefusedInOneLine() throws Exception {
    Rig.assertOneLine(
        CommandLineRun.of("dev", folder.resolve("none").toString()), 2, "there is no");
    Files.writeString(folder.resolve("pom.xml"), "<project/>");
    Rig.assertOneLine(
        CommandLineRun.of("dev", folder.toString()), 2, "is not there: run mvn compile first");
  }
}
