package dev.colony.bench.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import de.kherud.llama.InferenceParameters;
import de.kherud.llama.LlamaModel;
import de.kherud.llama.LlamaOutput;
import de.kherud.llama.ModelParameters;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * llama.cpp behind an OpenAI-compatible endpoint for chat completions, in a process of its own: the
 * library ends no JVM that has loaded it. Prints its port; its log, which alone says how much of a
 * prompt was cached, goes to standard error.
 */
final class LlamaServer {

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final LlamaModel model;
  private final Map<Integer, Float> printable = new HashMap<>();

  private LlamaServer(LlamaModel model) {
    this.model = model;
    for (int id = 0; id < TinyModel.VOCABULARY; id++) {
      int character = id - TinyModel.FIRST_BYTE;
      if (character < ' ' || character > '~') {
        printable.put(id, -1_000f);
      }
    }
  }

  /** Arguments: the model's file, slots, tokens of a slot. */
  public static void main(String[] args) throws IOException {
    int slots = Integer.parseInt(args[1]);
    LlamaModel model =
        new LlamaModel(
            new ModelParameters()
                .setModel(args[0])
                .setCtxSize(Integer.parseInt(args[2]) * slots)
                .setParallel(slots)
                .setThreads(1)
                .setThreadsBatch(1)
                .setSlotPromptSimilarity(0.1f));
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    LlamaServer server = new LlamaServer(model);
    http.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    http.createContext("/v1/chat/completions", server::complete);
    http.start();
    System.out.println(http.getAddress().getPort());
  }

  private void complete(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode request = JSON.readTree(exchange.getRequestBody());
      StringBuilder prompt = new StringBuilder();
      request
          .path("messages")
          .forEach(message -> prompt.append(message.path("content").asText()).append('\n'));
      StringBuilder said = new StringBuilder();
      int tokens = 0;
      InferenceParameters parameters =
          new InferenceParameters(prompt.toString())
              .setCachePrompt(true)
              .setTemperature(0)
              .setSeed(1)
              .setIgnoreEos(true)
              .setTokenIdBias(printable)
              .setNPredict(request.path("max_tokens").asInt(1));
      for (LlamaOutput output : model.generate(parameters)) {
        said.append(output.text);
        tokens++;
      }
      ObjectNode reply = JSON.createObjectNode();
      reply.put("object", "chat.completion");
      reply
          .putArray("choices")
          .addObject()
          .put("index", 0)
          .put("finish_reason", "length")
          .putObject("message")
          .put("role", "assistant")
          .put("content", said.toString());
      reply
          .putObject("usage")
          .put("prompt_tokens", prompt.length() + 1)
          .put("completion_tokens", tokens);
      byte[] body = reply.toString().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    }
  }
}
