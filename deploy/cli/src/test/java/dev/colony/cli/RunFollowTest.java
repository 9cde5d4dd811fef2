package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Questions that go on from others, and what is kept between them. */
class RunFollowTest {

  private static final Pattern RESUME = Pattern.compile("colony run --resume (\\S+)");
  private static final String NEXT = "And which of them comes first?";

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  private String[] following(String run, String question) {
    return Rig.with(
        List.of("run", "--follow", run, "--ask", question, "--policy", "research", "--json"),
        List.of(rig.onModel()));
  }

  private static Finished done(Finished finished) {
    assertThat(finished.status()).as(finished.err()).isZero();
    return finished;
  }

  private List<Call> coordinators() {
    return rig.model().calls().stream().filter(Call::coordinators).toList();
  }

  @Test
  void aQuestionGoesOnFromAnotherAlsoWhereItIsInterrupted() throws Exception {
    JsonNode first = done(rig.ask().await()).json();
    String run = first.path("runId").asText();
    Files.writeString(rig.tree().resolve("New.java"), "// written after the first question\n");

    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess following = rig.start(following(run, NEXT));
    held.await();
    following.interrupt();
    Finished interrupted = following.await();
    assertThat(interrupted.err()).as("nothing is mapped again").doesNotContain("mapping");
    Matcher resume = RESUME.matcher(interrupted.err());
    assertThat(resume.find()).isTrue();
    held.release();
    Rig.assertOneLine(
        rig.run(following(resume.group(1), "?")),
        2,
        resume.group(1) + " has no answer to follow",
        "--resume " + resume.group(1));

    JsonNode answered = done(rig.resume(resume.group(1))).json();
    String prompt = coordinators().getLast().suffix();
    assertThat(prompt)
        .contains(Rig.QUESTION)
        .contains(first.path("answer").asText().strip())
        .contains("Question: " + NEXT);
    assertThat(first.path("citations"))
        .allSatisfy(line -> assertThat(prompt).contains(line.path("text").asText().strip()));
    assertThat(answered.path("stats").path("pages").asInt())
        .isEqualTo(first.path("stats").path("pages").asInt());
  }

  @Test
  void anUnknownRunIsRefusedInOneLine() {
    Rig.assertOneLine(rig.run(following("r-none", NEXT)), 2, "no run r-none");
    Rig.assertOneLine(
        rig.run("run", ".", "--follow", "r-1", "--ask", NEXT), 2, "--follow knows the source");
  }
}
