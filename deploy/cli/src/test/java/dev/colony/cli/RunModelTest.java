package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.ScriptedModel.Call;
import dev.colony.cli.ScriptedModel.Held;
import dev.colony.inference.RecordingModelServer.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a run says of its model server, and that it goes on with the one that it had. */
class RunModelTest {

  private static final Pattern RESUME = Pattern.compile("colony run --resume (\\S+)");

  private static final String MODELS = "{\"object\":\"list\",\"data\":[{\"id\":\"scripted-1\"}]}";

  private static final String TWO_MODELS =
      "{\"object\":\"list\",\"data\":[{\"id\":\"scripted-1\"},{\"id\":\"scripted-2\"}]}";

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  private String interrupted() {
    Held held = rig.model().hold(Call::coordinators);
    ColonyProcess run = rig.askApart();
    held.await();
    run.interrupt();
    Matcher resume = RESUME.matcher(run.await().err());
    assertThat(resume.find()).isTrue();
    held.release();
    return resume.group(1);
  }

  private Finished resume(String runId) {
    return rig.run("run", "--resume", runId, "--json", "--config", rig.config().toString());
  }

  @Test
  void aResumedRunGoesOnWithTheModelServerThatItHad() {
    String runId = interrupted();
    rig.model().server().models(request -> Reply.status(401, ""));
    Rig.assertOneLine(
        resume(runId), 4, "run " + runId, rig.model().uri().toString(), "COLONY_MODEL_API_KEY");

    rig.model()
        .server()
        .models(request -> Reply.status(200, MODELS.replace("scripted-1", "other-1")));
    Rig.assertOneLine(
        resume(runId), 2, "run " + runId, "scripted-1", "other-1", "COLONY_MODEL", "--other-model");
    Rig.assertOneLine(
        rig.run("run", "--resume", runId), 2, "run " + runId, "--config " + rig.config());

    rig.model().server().models(request -> Reply.status(200, MODELS));
    long asked = rig.model().calls().stream().filter(Call::coordinators).count();
    assertThat(Rig.essence(resume(runId))).isEqualTo(Rig.undisturbed());
    assertThat(rig.model().calls().stream().filter(Call::coordinators).count())
        .as("the answer was composed by the model server")
        .isGreaterThan(asked);

    // Not before: a cluster that is up goes on with what was interrupted, by its own model.
    Finished up = rig.run("up", "--config", rig.config().toString());
    assertThat(up.status()).as(up.err()).isZero();
    Rig.assertOneLine(
        resume(runId),
        2,
        "run " + runId + " was started with the model server " + rig.model().uri(),
        "the embedded replica",
        "colony down");
    assertThat(rig.run("down").status()).isZero();
  }

  @Test
  void aRunSaysWhichOfTheConfiguredModelsAnswered() throws Exception {
    configure(
        "colony.inference { default-model = mine, models.mine.url = \"%s\" }"
            .formatted(rig.model().uri()));
    Finished run = rig.run(rig.configured());
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).containsPattern("model calls of mine \\(scripted-1\\) · ");
    Rig.assertOneLine(
        rig.run(rig.configured("--model-url", rig.model().uri().toString())),
        2,
        "colony.inference.default-model = mine",
        "leave one");
  }

  @Test
  void anAnswerSaysWhatOfTheSourceWasLeftOut() throws Exception {
    Files.write(rig.tree().resolve("a.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, 1, 2, 3});
    Finished run = rig.ask().await();
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.json().path("kind").asText()).isEqualTo("answer");
    assertThat(run.json().at("/stats/leftOut").properties())
        .containsExactly(Map.entry("binary", JsonNodeFactory.instance.numberNode(1)));
  }

  @Test
  void theModelThatIsNamedIsAskedOfTheServersModels() {
    rig.model().server().models(request -> Reply.status(200, TWO_MODELS));
    Finished unknown = rig.ask("--model", "scripted-3").await();
    Rig.assertOneLine(
        unknown, 4, rig.model().uri().toString(), "[scripted-1, scripted-2], not scripted-3");
    assertThat(rig.model().calls()).isEmpty();

    Finished run = rig.ask("--model", "scripted-2").await();
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(askedModels()).containsExactly("scripted-2");
  }

  @Test
  void theModelThatIsNamedIsAskedOfTheConfiguredModels() throws Exception {
    rig.model().server().models(request -> Reply.status(200, TWO_MODELS));
    configure(
        "colony.inference { default-model = small, models { small { %1$s-1 }, large { %1$s-2 } } }"
            .formatted("url = \"%s\", model = scripted".formatted(rig.model().uri())));
    Rig.assertOneLine(
        rig.run(rig.configured("--model", "scripted-2")),
        2,
        "--model scripted-2: is none of colony.inference.models, which are [large, small]");

    Finished run = rig.run(rig.configured("--model", "large"));
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(askedModels()).containsExactly("scripted-2");
    assertThat(run.out()).contains("model calls of large (");
  }

  /** The models that chat completions asked for, by the bytes that the server was sent. */
  private Set<String> askedModels() {
    return rig.model().calls().stream()
        .map(call -> call.request().json().path("model").asText())
        .collect(Collectors.toSet());
  }

  @Test
  void pagesThatNoModelAnsweredForAreReportedWithTheReason() throws Exception {
    rig.model()
        .analysts((call, clues) ->
            clues.getFirst().file().equals(Rig.file(2))
                ? Reply.status(500, "worn out")
                : ScriptedModel.quoting(clues));
    Finished some = rig.ask().await();
    assertThat(some.status()).as("a quarter of the pages is unread").isEqualTo(1);
    assertThat(some.err().lines().filter(line -> line.startsWith("colony: ")))
        .singleElement()
        .satisfies(line ->
            assertThat(line)
                .startsWith("colony: 1 of 4 pages was not read, mostly because ")
                .contains("answered 500: worn out")
                .endsWith("; more than colony.run.most-unread (0.1)"));
    JsonNode reason = some.json().path("unreadReasons").path(0);
    assertThat(reason.path("pages").asInt()).isEqualTo(1);
    assertThat(reason.path("reason").asText()).contains("answered 500: worn out");
    assertThat(some.json().path("unreadPages")).hasSize(1);

    configure("colony.run.most-unread = 0.3");
    Finished enough =
        rig.run(
            "run",
            rig.tree().toString(),
            "--ask",
            Rig.QUESTION,
            "--policy",
            "research",
            "--model-url",
            rig.model().uri().toString(),
            "--config",
            rig.config().toString());
    assertThat(enough.status()).as(enough.err()).isZero();
    assertThat(enough.out()).containsPattern("1 of 4 pages was not read: .*answered 500: worn out");
  }

  @Test
  void whatIsWaitedForIsSaidOnTheTerminalAndNotInTheAnswer() throws Exception {
    configure("colony.run.waiting-notice = 200ms");
    Held held = rig.model().hold(Call::coordinators);
    RunningCommand run = rig.ask();
    held.await();
    run.awaitErr("colony: waiting for " + rig.model().uri() + ": no answer to 1 call for ");
    held.release();
    Finished answered = run.await();
    assertThat(answered.status()).as(answered.err()).isZero();
    assertThat(answered.err()).contains("giving up after 300 s");
    assertThat(answered.out()).startsWith("{\"runId\":").doesNotContain("waiting for");
  }

  private void configure(String line) throws IOException {
    Files.writeString(rig.config(), line + "\n", StandardOpenOption.APPEND);
  }
}
