package dev.colony.bench.engine;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link LlamaServer} in a JVM of its own, which is killed when this is closed. */
final class LlamaProcess implements AutoCloseable {

  /**
   * A prompt that the engine has taken up.
   *
   * @param tokens of the prompt
   * @param cached how many of them it had computed before
   */
  record Prompt(int tokens, int cached) {}

  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final Pattern TAKEN_UP =
      Pattern.compile("task (\\d+) \\| new prompt, .*n_prompt_tokens = (\\d+)");
  private static final Pattern CACHED = Pattern.compile("task (\\d+) \\| kv cache rm \\[(\\d+),");

  private final Process process;
  private final CompletableFuture<Void> log;
  private final HttpClient http = HttpClient.newHttpClient();
  private final URI completions;
  private final List<Prompt> prompts = new ArrayList<>();

  private LlamaProcess(Process process) throws IOException {
    this.process = process;
    this.log = CompletableFuture.runAsync(this::readLog, Thread::startVirtualThread);
    BufferedReader out = process.inputReader();
    String line = out.readLine();
    while (line != null && !line.matches("\\d+")) {
      line = out.readLine();
    }
    if (line == null) {
      throw new IOException("the engine has ended before it listened");
    }
    this.completions = URI.create("http://127.0.0.1:" + line + "/v1/chat/completions");
  }

  /**
   * @param slotTokens tokens of each slot, prompt and reply together
   */
  static LlamaProcess start(Path model, int slots, int slotTokens) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx128m",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            LlamaServer.class.getName(),
            model.toString(),
            Integer.toString(slots),
            Integer.toString(slotTokens));
    Process process = builder.start();
    try {
      return new LlamaProcess(process);
    } catch (IOException failed) {
      process.destroyForcibly();
      throw failed;
    }
  }

  /** Asks for so many tokens over a prompt. Blocks. */
  String complete(String prompt, int tokens) throws IOException, InterruptedException {
    ObjectNode request = JSON.createObjectNode().put("max_tokens", tokens);
    request.putArray("messages").addObject().put("role", "user").put("content", prompt);
    String reply =
        http.send(
                HttpRequest.newBuilder(completions)
                    .POST(HttpRequest.BodyPublishers.ofString(request.toString()))
                    .build(),
                BodyHandlers.ofString())
            .body();
    return JSON.readTree(reply).at("/choices/0/message/content").asText();
  }

  /** What it has taken up so far, in order. */
  List<Prompt> prompts() {
    synchronized (prompts) {
      return List.copyOf(prompts);
    }
  }

  private void readLog() {
    Map<String, Integer> tokens = new HashMap<>();
    try (BufferedReader err = process.errorReader()) {
      for (String line = err.readLine(); line != null; line = err.readLine()) {
        Matcher begun = TAKEN_UP.matcher(line);
        Matcher cached = CACHED.matcher(line);
        if (begun.find()) {
          tokens.put(begun.group(1), Integer.parseInt(begun.group(2)));
        } else if (cached.find() && tokens.containsKey(cached.group(1))) {
          synchronized (prompts) {
            prompts.add(
                new Prompt(tokens.remove(cached.group(1)), Integer.parseInt(cached.group(2))));
          }
        }
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
    log.join();
  }
}
