package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Reply;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What servers tell of themselves besides their list of models, as they were recorded. */
class ServerFactsTest {

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = ModelServer.httpClient(threads);
  private final ModelServer client =
      new ModelServer(server.uri(), ProviderSettings.fromConfig(config()), http);

  @AfterEach
  void stop() {
    http.shutdownNow();
    threads.shutdownNow();
    server.close();
  }

  private void serves(String models, String path, String told) {
    server.models(request -> Reply.status(200, models));
    server.others(
        request -> request.path().endsWith(path) ? Reply.status(200, told) : Reply.status(404, ""));
    assertThat(client.known(Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void llamaCppTellsItsSlotsItsContextAndWhatItsTemplateShows() {
    serves(
        "{\"data\":[{\"id\":\"m\",\"owned_by\":\"llamacpp\",\"meta\":{\"n_ctx_train\":8192}}]}",
        "/props",
        """
        {"default_generation_settings":{"n_ctx":2048},"total_slots":2,
         "chat_template_caps":{"supports_tools":false,"supports_system_role":true}}
        """);
    assertThat(client.slots()).hasValue(2);
    assertThat(client.contextTokens()).hasValue(2048);
    assertThat(client.dialect().tools()).isFalse();
  }

  @Test
  void llamaCppListsItsSlotsWhereItDoesNotCountThem() {
    serves(
        "{\"data\":[{\"id\":\"m\",\"owned_by\":\"llamacpp\"}]}",
        "/slots",
        """
        [{"id":0,"n_ctx":2048,"is_processing":false},{"id":1,"n_ctx":2048,"is_processing":true},
         {"id":2,"n_ctx":2048,"is_processing":false}]
        """);
    assertThat(client.slots()).hasValue(3);
  }

  @Test
  void newerLlamaCppListsTheContextOfASlot() {
    serves(
        "{\"data\":[{\"id\":\"m\",\"owned_by\":\"llamacpp\",\"meta\":{\"n_ctx\":4096}}]}",
        "/none",
        "");
    assertThat(client.contextTokens()).hasValue(4096);
    assertThat(client.dialect().tools()).isTrue();
  }

  @Test
  void ollamaTellsTheContextOfALoadedModel() {
    serves(
        "{\"data\":[{\"id\":\"qwen3:8b\",\"owned_by\":\"library\"}]}",
        "/api/ps",
        """
        {"models":[{"name":"gemma3:4b","model":"gemma3:4b","context_length":8192},
                   {"name":"qwen3:8b","model":"qwen3:8b","context_length":4096}]}
        """);
    assertThat(client.contextTokens()).hasValue(4096);
  }
}
