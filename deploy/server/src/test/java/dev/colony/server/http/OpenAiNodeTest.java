package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.server.Principal.Role;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** OpenAI's client for JavaScript as npm has it. */
@Tag("faults")
class OpenAiNodeTest {

  private static final String CLIENT = "openai@7.57.0";
  private static final String SCRIPT = "openai-client.mjs";

  @TempDir private static Path folder;

  private static OpenAiRig rig;
  private ScriptedModel model;

  @BeforeAll
  static void start() throws Exception {
    try {
      Process npm =
          new ProcessBuilder("npm", "install", "--no-audit", "--no-fund", CLIENT)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("npm.log").toFile())
              .start();
      assertThat(npm.waitFor()).as(Files.readString(folder.resolve("npm.log"))).isZero();
    } catch (IOException none) {
      Assumptions.abort("npm is not on the PATH: the client is not run");
    }
    try (InputStream script = OpenAiNodeTest.class.getResourceAsStream("/" + SCRIPT)) {
      Files.copy(script, folder.resolve(SCRIPT));
    }
    rig = new OpenAiRig(ApiRig.keys(folder, List.of()));
  }

  @AfterAll
  static void end() {
    if (rig != null) {
      rig.close();
    }
  }

  @BeforeEach
  void serve() {
    model = new ScriptedModel(OfficialClients.model());
    rig.serve(Optional.of(model));
  }

  @AfterEach
  void unserve() {
    rig.serve(Optional.empty());
    model.close();
  }

  @Test
  void replies() throws Exception {
    JsonNode told = ended(begun("replies"));
    assertThat(told.path("chat").asText()).isEqualTo(OfficialClients.ANSWER);
    assertThat(told.path("chatTokens").asInt()).isEqualTo(25);
    assertThat(told.path("response").asText()).isEqualTo(OfficialClients.ANSWER);
    assertThat(told.path("models")).hasToString("[\"%s\"]".formatted(ScriptedModel.NAME));
  }

  @Test
  void streams() throws Exception {
    JsonNode told = ended(begun("streams"));
    assertThat(told.path("parts")).hasToString("[\"the front\",\" of a ship\"]");
    assertThat(told.path("chat").asText()).isEqualTo(OfficialClients.ANSWER);
    assertThat(told.path("chatTokens").asInt()).isEqualTo(25);
    assertThat(told.path("response").asText()).isEqualTo(OfficialClients.ANSWER);
  }

  @Test
  void tools() throws Exception {
    JsonNode told = ended(begun("tools"));
    assertThat(told.path("looked")).hasToString("[\"bow\"]");
    assertThat(told.path("chat").asText()).isEqualTo("found bow");
    assertThat(told.path("response").asText()).isEqualTo("{\"term\":\"bow\"}");
  }

  @Test
  void structuredOutput() throws Exception {
    JsonNode told = ended(begun("structured"));
    for (String of : List.of("chat", "response")) {
      assertThat(told.path(of)).hasToString("{\"term\":\"bow\",\"letters\":3}");
    }
  }

  @Test
  void errors() throws Exception {
    JsonNode told = ended(begun("errors"));
    failed(told.path("key"), "AuthenticationError", 401, "invalid_api_key");
    failed(told.path("model"), "NotFoundError", 404, "model_not_found");
    failed(told.path("busy"), "RateLimitError", 429, "rate_limit_exceeded");
    assertThat(told.path("busy").path("retryAfter").asText()).isEqualTo("7");
    assertThat(told.path("retried").asText()).isEqualTo(OfficialClients.ANSWER);
  }

  private static void failed(JsonNode told, String type, int status, String code) {
    assertThat(told.path("type").asText()).isEqualTo(type);
    assertThat(told.path("status").asInt()).isEqualTo(status);
    assertThat(told.path("code").asText()).isEqualTo(code);
  }

  @Test
  void aStreamThatIsAbortedEndsTheCallAtTheServer() throws Exception {
    assertThat(ended(begun("abortedStream")).path("text").asText()).isEqualTo("the front");
    assertThat(model.closedByClient.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aCallThatIsAbortedEndsAtTheServer() throws Exception {
    Process client = begun("abortedCall");
    model.call();
    client.getOutputStream().write('\n');
    client.getOutputStream().flush();
    assertThat(model.closedByClient.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(ended(client).path("type").asText()).isEqualTo("APIUserAbortError");
  }

  private static Process begun(String part) throws IOException {
    return new ProcessBuilder(
            "node",
            SCRIPT,
            rig.api().uri() + "/v1",
            ApiRig.key(Role.OPERATOR),
            ScriptedModel.NAME,
            part)
        .directory(folder.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static JsonNode ended(Process client) throws Exception {
    try {
      String out = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(client.waitFor()).as(out).isZero();
      return ApiClient.parse(out);
    } finally {
      client.destroyForcibly();
    }
  }
}
