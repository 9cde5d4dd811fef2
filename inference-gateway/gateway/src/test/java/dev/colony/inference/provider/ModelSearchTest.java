package dev.colony.inference.provider;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.freePort;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.RecordingModelServer;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.RecordingModelServer.Reply;
import dev.colony.inference.provider.FoundServer.Kind;
import dev.colony.inference.provider.FoundServer.Model;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers of each kind, by bodies as they send them, and what is no model server. */
class ModelSearchTest {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");

  private final RecordingModelServer server =
      RecordingModelServer.start(request -> Reply.answer("fine"));

  @AfterEach
  void stop() {
    server.close();
  }

  private void serves(Map<String, String> headers, Map<String, String> bodies) {
    RecordingModelServer.Script all =
        request -> {
          String body = bodies.get(request.path());
          return body == null
              ? Reply.status(404, headers, "{\"detail\":\"Not Found\"}")
              : Reply.status(200, headers, body);
        };
    server.models(all);
    server.others(all);
  }

  private FoundServer found(String... settings) throws InterruptedException {
    return ModelSearch.at(server.uri(), ProviderSettings.fromConfig(config(settings)), LONG)
        .orElseThrow();
  }

  @Test
  void vllmSaysItsContextInItsList() throws Exception {
    serves(
        Map.of("Server", "uvicorn"),
        Map.of(
            "/v1/models",
            """
            {"object":"list","data":[{"id":"smollm2","object":"model","created":1795870341,
              "owned_by":"vllm","root":"/models/smollm2","parent":null,"max_model_len":8192}]}
            """));
    FoundServer one = found();
    assertThat(one.kind()).isEqualTo(Kind.VLLM).hasToString("vLLM");
    assertThat(one.chosen().orElseThrow().contextTokens()).hasValue(8192);
    assertThat(one.why()).isEqualTo("it is loaded");
  }

  @Test
  void llamaCppSaysItsContextAndWhatItsTemplateShowsInItsProperties() throws Exception {
    serves(
        Map.of("Server", "llama.cpp"),
        Map.of(
            "/v1/models",
            """
            {"models":[{"name":"/m/SmolLM2-135M-Instruct.Q4_1.gguf"}],"object":"list","data":[
              {"id":"/m/SmolLM2-135M-Instruct.Q4_1.gguf","object":"model","owned_by":"llamacpp",
               "meta":{"n_ctx_train":8192,"n_params":134515008,"size":96576768}}]}
            """,
            "/props",
            """
            {"default_generation_settings":{"n_ctx":2048},"total_slots":2,
             "chat_template_caps":{"supports_tools":false}}
            """));
    FoundServer one = found();
    assertThat(one.kind()).isEqualTo(Kind.LLAMA_CPP);
    Model model = one.chosen().orElseThrow();
    assertThat(model.name()).isEqualTo("SmolLM2-135M-Instruct.Q4_1.gguf");
    assertThat(model.contextTokens()).hasValue(2048);
    assertThat(model.tools()).contains(false);
  }

  @Test
  void llamaCppPythonIsKnownByItsOwnerAndItsHeader() throws Exception {
    serves(
        Map.of("server", "uvicorn"),
        Map.of(
            "/v1/models",
            """
            {"object":"list","data":[{"id":"smollm2","object":"model","owned_by":"me",
              "permissions":[]}]}
            """));
    assertThat(found().kind()).isEqualTo(Kind.LLAMA_CPP_PYTHON);
  }

  @Test
  void ofOllamaTheLoadedModelIsTakenWithTheContextThatItIsLoadedWith() throws Exception {
    ollama("{\"models\":[{\"name\":\"qwen3:8b\",\"model\":\"qwen3:8b\",\"context_length\":4096}]}");
    FoundServer one = found();
    assertThat(one.kind()).isEqualTo(Kind.OLLAMA);
    assertThat(one.chosen().orElseThrow())
        .isEqualTo(
            new Model(
                "qwen3:8b",
                OptionalLong.of(4096),
                OptionalLong.of(40_960),
                OptionalLong.of(5_225_388_164L),
                true,
                true,
                false,
                Optional.of(true)));
    assertThat(one.models()).hasSize(4);
    assertThat(one.models().get(2).chats()).as("an embedding model").isFalse();
  }

  @Test
  void ofOllamaWithoutALoadedModelTheLargestIsTakenThatIsComputedHere() throws Exception {
    ollama("{\"models\":[]}");
    FoundServer one = found();
    assertThat(one.chosen().map(Model::id)).contains("qwen3:8b");
    assertThat(one.chosen().orElseThrow().contextTokens()).as("not before it is loaded").isEmpty();
    assertThat(one.models().getLast())
        .satisfies(cloud -> {
          assertThat(cloud.id()).isEqualTo("gpt-oss:120b-cloud");
          assertThat(cloud.elsewhere()).isTrue();
        });
    assertThat(one.with("gpt-oss:120b-cloud")).as("where it is named").isPresent();
  }

  @Test
  void anOllamaWithoutModelsIsFoundAndNothingTaken() throws Exception {
    serves(
        JSON,
        Map.of(
            "/v1/models",
            "{\"object\":\"list\",\"data\":null}",
            "/api/tags",
            "{\"models\":[]}",
            "/api/ps",
            "{\"models\":[]}"));
    assertThat(found().kind()).isEqualTo(Kind.OLLAMA);
    assertThat(found().chosen()).isEmpty();
    assertThat(FoundServer.best(List.of(found()))).isEmpty();
  }

  private void ollama(String loaded) {
    serves(
        JSON,
        Map.of(
            "/v1/models",
            """
            {"object":"list","data":[
              {"id":"acme/qwen3:8b","object":"model","created":1700000000,"owned_by":"acme"}]}
            """,
            "/api/ps",
            loaded,
            "/api/tags",
            """
            {"models":[
              {"name":"llama3.2:1b","model":"llama3.2:1b","size":1321098329,
               "details":{"parameter_size":"1.2B"}},
              {"name":"qwen3:8b","model":"qwen3:8b","size":5225388164,
               "details":{"context_length":40960},"capabilities":["completion","tools"]},
              {"name":"granite-vectors:30b","model":"granite-vectors:30b","size":9000000000,
               "details":{},"capabilities":["embedding"]},
              {"name":"gpt-oss:120b-cloud","model":"gpt-oss:120b-cloud","size":384,
               "remote_model":"gpt-oss:120b","remote_host":"https://ollama.com:443",
               "details":{},"capabilities":["completion","tools"]}]}
            """,
            "/api/show",
            """
            {"details":{"family":"llama"},"capabilities":["completion"],
             "model_info":{"general.architecture":"llama","llama.context_length":131072}}
            """));
  }

  @Test
  void whatTheListOfAnOlderOllamaLacksItIsAskedForEachModel() throws Exception {
    ollama("{\"models\":[]}");
    assertThat(found().models().getFirst().mostTokens()).hasValue(131_072);
    assertThat(server.requests())
        .filteredOn(request -> request.path().equals("/api/show"))
        .extracting(Recorded::body)
        .containsExactly("{\"model\":\"llama3.2:1b\"}");
  }

  @Test
  void lmStudioSaysWhichModelIsLoaded() throws Exception {
    serves(
        JSON,
        Map.of(
            "/v1/models",
            """
            {"data":[{"id":"text-embedding-nomic-embed-text-v1.5","object":"model",
              "owned_by":"organization_owner"}],"object":"list"}
            """,
            "/api/v0/models",
            """
            {"object":"list","data":[
              {"id":"qwen2-vl-7b-instruct","object":"model","type":"vlm","state":"not-loaded",
               "max_context_length":32768},
              {"id":"qwen2.5-coder-3b-instruct","object":"model","type":"llm","state":"loaded",
               "max_context_length":32768,"loaded_context_length":16384,
               "capabilities":["tool_use"]},
              {"id":"vectors","object":"model","type":"embeddings","state":"loaded",
               "max_context_length":2048}]}
            """));
    FoundServer one = found();
    assertThat(one.kind()).isEqualTo(Kind.LM_STUDIO);
    assertThat(one.chosen().map(Model::id)).contains("qwen2.5-coder-3b-instruct");
    assertThat(one.chosen().orElseThrow().contextTokens()).hasValue(16_384);
    assertThat(one.chosen().orElseThrow().tools()).contains(true);
  }

  @Test
  void sglangSaysWhetherItsModelAnswersPrompts() throws Exception {
    Map<String, String> list =
        Map.of(
            "/v1/models",
            """
            {"object":"list","data":[{"id":"Qwen/Qwen3-8B","object":"model","owned_by":"sglang",
              "root":"Qwen/Qwen3-8B","parent":null,"max_model_len":40960}]}
            """);
    serves(JSON, list);
    assertThat(found().kind()).isEqualTo(Kind.SGLANG);
    assertThat(found().chosen().orElseThrow().contextTokens()).hasValue(40_960);
    serves(
        JSON,
        Map.of(
            "/v1/models",
            list.get("/v1/models"),
            "/get_model_info",
            "{\"model_path\":\"Qwen/Qwen3-8B\",\"is_generation\":false}"));
    assertThat(found().chosen()).isEmpty();
    assertThat(found().why()).isEqualTo("none of its models answers prompts");
  }

  @Test
  void tgiSaysItsContextInItsInfo() throws Exception {
    serves(
        JSON,
        Map.of(
            "/v1/models",
            """
            {"object":"list","data":[{"id":"HuggingFaceTB/SmolLM2-1.7B-Instruct","object":"model",
              "created":0,"owned_by":"HuggingFaceTB/SmolLM2-1.7B-Instruct"}]}
            """,
            "/info",
            """
            {"model_id":"HuggingFaceTB/SmolLM2-1.7B-Instruct","max_concurrent_requests":128,
             "max_input_tokens":4095,"max_total_tokens":4096,"version":"3.3.4","router":
             "text-generation-router"}
            """));
    assertThat(found().kind()).isEqualTo(Kind.TGI);
    assertThat(found().chosen().orElseThrow().contextTokens()).hasValue(4096);
  }

  @Test
  void litellmForwardsToOthersAndIsNotTakenUnlessItsModelIsNamed() throws Exception {
    serves(
        JSON,
        Map.of(
            "/v1/models",
            """
            {"data":[
              {"id":"small","object":"model","created":1677610602,"owned_by":"openai"},
              {"id":"vectors","object":"model","created":1677610602,"owned_by":"openai",
               "mode":"embedding","max_input_tokens":8191}],
             "object":"list"}
            """,
            "/health/readiness",
            "{\"status\":\"healthy\",\"db\":\"Not connected\"}",
            "/model/info",
            """
            {"data":[
              {"model_name":"small",
               "litellm_params":{"api_base":"http://127.0.0.1:18471/v1","model":"openai/smollm2"},
               "model_info":{"key":"openai/smollm2","mode":null,"max_input_tokens":8192,
                 "supports_function_calling":null}},
              {"model_name":"vectors","litellm_params":{"model":"openai/text-embedding-3-small"},
               "model_info":{"mode":"embedding","max_input_tokens":8191}}]}
            """));
    FoundServer one = found();
    assertThat(one.kind()).isEqualTo(Kind.LITELLM);
    assertThat(one.chosen()).isEmpty();
    assertThat(one.why()).contains("other machines");
    assertThat(one.models().getFirst().contextTokens()).hasValue(8192);
    assertThat(one.models().getLast().chats()).isFalse();
    assertThat(found("client.model = small").chosen().map(Model::id)).contains("small");
  }

  @Test
  void aClusterOfOursIsPassedOver() throws Exception {
    serves(
        JSON,
        Map.of("/v1/models", "{\"data\":[{\"id\":\"acme/billing/a\",\"owned_by\":\"colony\"}]}"));
    assertThat(ModelSearch.on(List.of(server.port()), ProviderSettings.fromConfig(config())))
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource
  void whatIsNoModelServerIsPassedOverInABoundedTime(Reply reply) throws Exception {
    server.models(request -> reply);
    server.others(request -> reply);
    try (RecordingModelServer good = RecordingModelServer.start(r -> Reply.answer("x"))) {
      long from = System.nanoTime();
      List<FoundServer> found =
          ModelSearch.on(
              List.of(freePort(), server.port(), good.port()),
              ProviderSettings.fromConfig(config()));
      assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(LONG);
      assertThat(found).extracting(FoundServer::url).containsExactly(good.uri());
    }
  }

  static List<Reply> whatIsNoModelServerIsPassedOverInABoundedTime() {
    return List.of(
        Reply.hang(),
        Reply.raw("220 smtp ready\r\n"),
        Reply.rawThenHang("HTT"),
        Reply.rawThenHang("HTTP/1.1 200 OK\r\nX-"),
        Reply.rawThenHang("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n{\"data\":["),
        Reply.raw("HTTP/1.1 200 OK\r\n\r\n{\"data\":[{\"id\":\"" + "x".repeat(3 << 20) + "\"}]}"),
        Reply.status(302, Map.of("Location", "http://127.0.0.1:1/v1/models"), ""),
        Reply.status(200, Map.of("Content-Type", "text/html"), "<html>\nJenkins</html>"),
        Reply.status(200, "[]"),
        Reply.status(200, "{\"data\":{\"id\":7}}"),
        Reply.status(200, "{\"data\":[{\"id\":null},7,\"x\"]}"),
        Reply.status(500, "boom"));
  }

  @Test
  void aServerThatIsNotNamedIsSentNoKey() throws Exception {
    ModelSearch.on(
        List.of(server.port()), ProviderSettings.fromConfig(config("client.api-key = secret")));
    assertThat(server.requests())
        .hasSizeGreaterThan(1)
        .allSatisfy(request -> assertThat(request.headers().toString()).doesNotContain("secret"));
  }
}
