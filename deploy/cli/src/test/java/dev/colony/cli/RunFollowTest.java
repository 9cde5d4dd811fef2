package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
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

  private ColonyProcess next(String... command) {
    String[] line =
        new String[] {
          "--json", "--model-url", rig.model().uri().toString(), "--config", rig.config().toString()
        };
    String[] whole = java.util.Arrays.copyOf(command, command.length + line.length);
    System.arraycopy(line, 0, whole, command.length, line.length);
    return rig.start(whole);
  }

  private static Finished done(ColonyProcess process) {
    Finished finished = process.await();
    assertThat(finished.status()).as(finished.err()).isZero();
    return finished;
  }

  private List<Call> coordinators() {
    return rig.model().calls().stream().filter(Call::coordinators).toList();
  }

  @Test
  void aQuestionGoesOnFromAnotherAlsoWhereItIsInterrupted() throws Exception {
    JsonNode first = done(rig.ask()).json();
    String run = first.path("runId").asText();
    Files.writeString(rig.tree().resolve("New.java"), "// written after the first question\n");

    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess following = next("run", "--follow", run, "--ask", NEXT);
    held.await();
    following.interrupt();
    Finished interrupted = following.await();
    assertThat(interrupted.err()).as("nothing is mapped again").doesNotContain("mapping");
    Matcher resume = RESUME.matcher(interrupted.err());
    assertThat(resume.find()).isTrue();
    held.release();
    Rig.assertOneLine(
        next("run", "--follow", resume.group(1), "--ask", "?").await(),
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
    Rig.assertOneLine(next("run", "--follow", "r-none", "--ask", NEXT).await(), 2, "no run r-none");
    Rig.assertOneLine(
        rig.run("run", ".", "--follow", "r-1", "--ask", NEXT, "--state", rig.state().toString()),
        2,
        "--follow knows the source");
  }

  @Test
  void aMapIsAskedByItsIdAndListedAndASourceIsMappedByWhatHasChanged() throws Exception {
    Instant old = Instant.now().minus(Duration.ofMinutes(1));
    for (int i = 1; i <= Rig.FILES; i++) {
      Files.setLastModifiedTime(rig.tree().resolve(Rig.file(i)), FileTime.from(old));
    }
    Finished up =
        rig.run(
            "up", "--model-url", rig.model().uri().toString(), "--config", rig.config().toString());
    assertThat(up.status()).as(up.err()).isZero();
    String tree = rig.tree().toString();
    String config = rig.config().toString();
    JsonNode first =
        done(rig.start("run", tree, "--ask", Rig.QUESTION, "--json", "--config", config)).json();

    JsonNode maps = rig.run("pages", "maps", "--json").json();
    assertThat(maps.path("of").asInt()).isEqualTo(1);
    JsonNode map = maps.path("maps").path(0);
    assertThat(map.path("source").asText()).isEqualTo(tree);
    assertThat(map.path("files").asInt()).isEqualTo(Rig.FILES);

    Finished byId = rig.run("ask", map.path("id").asText(), Rig.QUESTION, "--json");
    assertThat(byId.status()).as(byId.err()).isZero();
    assertThat(byId.json().path("answer")).isEqualTo(first.path("answer"));
    Rig.assertOneLine(
        rig.run("ask", "a".repeat(26), Rig.QUESTION), 2, "no page map " + "a".repeat(26));

    // A file that cannot be told to have changed is not read: its page is as it was.
    Path unseen = rig.tree().resolve(Rig.file(1));
    String text = Files.readString(unseen);
    Files.writeString(unseen, text.replace("clue 1", "clue 7"));
    Files.setLastModifiedTime(unseen, FileTime.from(old));
    Finished again = rig.run("ask", tree, Rig.QUESTION, "--json", "--config", config);
    assertThat(again.json().path("answer").asText())
        .isEqualTo(first.path("answer").asText())
        .contains("clue 1");
    Files.setLastModifiedTime(unseen, FileTime.from(old.plusSeconds(5)));
    Finished changed = rig.run("ask", tree, Rig.QUESTION, "--json", "--config", config);
    assertThat(changed.status()).as(changed.err()).isZero();
    assertThat(changed.json().path("answer").asText()).contains("clue 7");
    assertThat(rig.run("pages", "maps").out().lines()).hasSize(2);
  }
}
