package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node dies between two reads of a response, by OpenAI's client for JavaScript as npm has it. */
@Tag("real")
class ResponseNodeLossTest {

  private static final String CLIENT = "openai@7.57.0";
  private static final String SCRIPT = "openai-response-loss.mjs";
  private static final String AGENT = "local/main/reviewer";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Rig rig = new Rig();

  @TempDir private Path folder;

  @BeforeEach
  void start() throws Exception {
    install();
    String model = rig.model().uri().toString();
    assertThat(rig.run("up", "--nodes", "2", "--model-url", model).status()).isZero();
    String file = ProjectRoot.find().resolve("examples/reviewer.json").toString();
    assertThat(rig.run("spawn", file).status()).isZero();
  }

  private void install() throws Exception {
    try {
      Process npm =
          new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", CLIENT)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("npm.log").toFile())
              .start();
      assumeThat(npm.waitFor()).as(Files.readString(folder.resolve("npm.log"))).isZero();
    } catch (IOException none) {
      Assumptions.abort("npm is not on the PATH: the client is not run");
    }
    try (InputStream script = getClass().getResourceAsStream("/" + SCRIPT)) {
      Files.copy(script, folder.resolve(SCRIPT));
    }
  }

  @AfterEach
  void stop() {
    rig.run("down");
    rig.close();
  }

  @Test
  void aStreamGoesOnAtTheOtherNodeBehindTheNumberThatItsClientHasHad() throws Exception {
    NodeRecord first = rig.node("node-1");
    Path out = folder.resolve("said.txt");
    Process client =
        new ProcessBuilder(
                "node",
                SCRIPT,
                first.api() + "/v1",
                rig.node("node-2").api() + "/v1",
                "agent:" + AGENT,
                "Remember \"it ships\"")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      await().atMost(ColonyProcess.LONGEST).until(() -> said(out).size() >= 3);
      assertThat(said(out).getFirst().path("status").asText()).isEqualTo("in_progress");
      Rig.kill(first.pid());
      await()
          .atMost(ColonyProcess.LONGEST)
          .until(() -> said(out).stream().anyMatch(one -> one.has("broken")));
      Finished told = rig.run("approve", AGENT, "--by", "ann", "--wait", "3m");
      assertThat(told.status()).as(told.out() + told.err()).isZero();
      assertThat(client.waitFor(ColonyProcess.LONGEST.toSeconds(), TimeUnit.SECONDS))
          .as("%s", said(out))
          .isTrue();
    } finally {
      client.destroyForcibly();
    }
    List<JsonNode> said = said(out);
    List<Long> numbers =
        said.stream()
            .filter(one -> one.has("number"))
            .map(one -> one.path("number").asLong())
            .toList();
    assertThat(numbers)
        .hasSizeGreaterThan(3)
        .containsExactlyElementsOf(LongStream.range(0, numbers.size()).boxed().toList());
    assertThat(said.getLast().path("text").asText()).contains("it ships");
  }

  /** The lines so far; the last one may be half written. */
  private static List<JsonNode> said(Path out) throws IOException {
    List<JsonNode> said = new ArrayList<>();
    String text = Files.readString(out);
    for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
      if (!line.isEmpty()) {
        said.add(JSON.readTree(line));
      }
    }
    return said;
  }
}
