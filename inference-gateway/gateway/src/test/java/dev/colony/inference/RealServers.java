package dev.colony.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Model servers of others with a small model, from the folder that COLONY_SERVERS names, else
 * {@code ~/.cache/colony-servers}. A test is skipped where they are not installed.
 */
public final class RealServers implements AutoCloseable {

  private static final Duration READY = Duration.ofMinutes(10);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ProcessBuilder builder;
  private final Path log;
  private final URI uri;
  private Process process;

  private RealServers(ProcessBuilder builder, Path log, URI uri) {
    this.builder = builder;
    this.log = log;
    this.uri = uri;
  }

  private static Path folder() {
    return Optional.ofNullable(System.getenv("COLONY_SERVERS"))
        .map(Path::of)
        .orElse(Path.of(System.getProperty("user.home"), ".cache", "colony-servers"));
  }

  /** vLLM with a context of 8,192 tokens, the prefix cache and these further options. */
  public static RealServers vllm(String... more) throws IOException {
    Path program = folder().resolve("vllm/bin/vllm");
    List<String> line = new ArrayList<>();
    line.addAll(List.of(program.toString(), "serve", folder().resolve("smollm2").toString()));
    line.addAll(List.of("--served-model-name", "smollm2", "--dtype", "bfloat16"));
    line.addAll(List.of("--max-model-len", "8192", "--enforce-eager"));
    line.addAll(List.of("--enable-prefix-caching", "--enable-prompt-tokens-details"));
    line.addAll(List.of(more));
    return started(
        program,
        line,
        Map.of(
            "HF_HUB_OFFLINE", "1",
            "VLLM_NO_USAGE_STATS", "1",
            "DO_NOT_TRACK", "1",
            "VLLM_CPU_KVCACHE_SPACE", "1",
            "VLLM_CPU_OMP_THREADS_BIND", "nobind"));
  }

  /** llama-cpp-python with a context of so many tokens. */
  public static RealServers llama(int context) throws IOException {
    Path program = folder().resolve("llama/bin/python");
    List<String> line = new ArrayList<>(List.of(program.toString(), "-m", "llama_cpp.server"));
    line.addAll(List.of("--model", folder().resolve("smollm2.gguf").toString()));
    line.addAll(List.of("--model_alias", "smollm2", "--chat_format", "chatml"));
    line.addAll(List.of("--n_ctx", Integer.toString(context)));
    return started(program, line, Map.of());
  }

  private static RealServers started(
      Path program, List<String> line, Map<String, String> environment) throws IOException {
    assumeTrue(Files.isExecutable(program), program + " is not installed: see CONTRIBUTING.md");
    int port = InferenceFixtures.freePort();
    line.addAll(List.of("--host", "127.0.0.1", "--port", Integer.toString(port)));
    Path log = Files.createTempFile("real-server", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.directory(folder().toFile()).environment().putAll(environment);
    RealServers server =
        new RealServers(builder, log, URI.create("http://127.0.0.1:" + port + "/v1"));
    server.start();
    return server;
  }

  /** Starts it, and once more at the same address after {@link #end}. */
  public void start() throws IOException {
    process = builder.start();
    try {
      await()
          .atMost(READY)
          .pollInterval(Duration.ofMillis(500))
          .until(() -> {
            assertThat(process.isAlive()).as("see " + log).isTrue();
            return ready();
          });
    } catch (ConditionTimeoutException late) {
      end();
      throw late;
    }
  }

  /** Ends it with all that it has started; returns when it is gone. */
  public void end() {
    List<ProcessHandle> all = process.descendants().toList();
    all.forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
    all.forEach(one -> one.onExit().join());
  }

  /**
   * The sum of a figure of vLLM's over all its labels.
   *
   * @param name with labels where not all are meant, as Prometheus is shown them
   */
  public double figure(String name) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(uri.resolve("/metrics")).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> line.startsWith(name.replaceAll("\\{.*", "{")))
        .filter(line -> line.contains(name.replaceAll(".*\\{|}", "")))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private boolean ready() throws InterruptedException {
    try {
      HttpRequest models = HttpRequest.newBuilder(URI.create(uri + "/models")).build();
      return http.send(models, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  public URI uri() {
    return uri;
  }

  /** Has one token written behind a prompt of a user. */
  public void ask(String prompt) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(uri + "/chat/completions"))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    """
                    {"model":"smollm2","max_tokens":1,
                     "messages":[{"role":"user","content":"%s"}]}
                    """
                        .formatted(prompt)))
            .build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  /** Ends it with all that it has started. */
  @Override
  public void close() {
    end();
    http.shutdownNow();
  }
}
