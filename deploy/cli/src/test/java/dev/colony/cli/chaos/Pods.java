package dev.colony.cli.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.cli.Main;
import dev.colony.node.Started;
import dev.colony.server.node.LoopbackPorts;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import java.util.Set;
import java.util.TreeSet;

/**
 * Nodes as they run in Kubernetes: processes of their own, each with an address of its own and the
 * same ports, told by nothing but environment and file, that know only the API server.
 */
final class Pods implements AutoCloseable {

  private static final Map<String, String> LABELS = Map.of("app.kubernetes.io/name", "colony");
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Started started = new Started();
  private final HttpClient http = started.add(HttpClient.newHttpClient());
  private final ApiServer api = started.add(new ApiServer());
  private final int managementPort = LoopbackPorts.free(1).getFirst();
  private final Path folder;
  private final List<ChaosCluster.Address> addresses;
  private final int clusterSize;
  private final RedisServerProcess redis;
  private final List<Process> processes = new ArrayList<>();

  /**
   * Starts them all and returns at once.
   *
   * @param clusterSize how many must be there before they form a cluster
   */
  Pods(Path folder, List<ChaosCluster.Address> addresses, int clusterSize) {
    this.folder = folder;
    this.addresses = addresses;
    this.clusterSize = clusterSize;
    redis = RedisServerProcess.ensure(ServerSettings.in(folder.resolve("redis")));
    started.add(redis::stop);
    api.add("other-0", "127.0.0.99", Map.of("app.kubernetes.io/name", "other"), managementPort);
    for (int i = 0; i < addresses.size(); i++) {
      api.add(name(i), addresses.get(i).host(), LABELS, managementPort);
      processes.add(start(i));
    }
  }

  ApiServer api() {
    return api;
  }

  Process process(int pod) {
    return processes.get(pod);
  }

  /** Starts a pod whose process has ended. */
  void restart(int pod) {
    processes.set(pod, start(pod));
  }

  /** SIGKILL, and the API server knows of it. */
  void lose(int pod) {
    processes.get(pod).destroyForcibly().onExit().join();
    api.remove(name(pod));
  }

  /** Whether a pod is ready, as the kubelet asks it. */
  boolean ready(int pod) {
    return answer(pod, "/ready")
        .map(HttpResponse::statusCode)
        .filter(code -> code == 200)
        .isPresent();
  }

  /** The hosts of the members that a pod knows and that are up; empty while it does not answer. */
  Set<String> members(int pod) {
    Set<String> hosts = new TreeSet<>();
    answer(pod, "/cluster/members")
        .map(HttpResponse::body)
        .ifPresent(body -> {
          for (JsonNode member : json(body).path("members")) {
            if (member.path("status").asText().equals("Up")) {
              hosts.add(URI.create(member.path("node").asText()).getHost());
            }
          }
        });
    return hosts;
  }

  /** What a pod has logged since it was started last. */
  String log(int pod) {
    try {
      return Files.readString(logFile(pod));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private java.util.Optional<HttpResponse<String>> answer(int pod, String path) {
    URI uri = URI.create("http://" + addresses.get(pod).host() + ":" + managementPort + path);
    try {
      return java.util.Optional.of(
          http.send(
              HttpRequest.newBuilder(uri).timeout(ANSWER).build(),
              HttpResponse.BodyHandlers.ofString()));
    } catch (IOException doesNotAnswer) {
      return java.util.Optional.empty();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private static JsonNode json(String body) {
    try {
      return JSON.readTree(body);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String name(int pod) {
    return "colony-" + pod;
  }

  private Path logFile(int pod) {
    return folder.resolve(name(pod) + ".log");
  }

  private Process start(int pod) {
    ChaosCluster.Address own = addresses.get(pod);
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--sun-misc-unsafe-memory-access=allow",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "node")
            .redirectErrorStream(true)
            .redirectOutput(logFile(pod).toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "KUBERNETES_SERVICE_HOST", "localhost",
                "KUBERNETES_SERVICE_PORT", Integer.toString(api.port()),
                "COLONY_NODE_NAME", name(pod),
                "COLONY_NODE_HOST", own.host(),
                "COLONY_NODE_PORT", Integer.toString(own.port()),
                "COLONY_MANAGEMENT_PORT", Integer.toString(managementPort),
                "COLONY_NODE_DISCOVERY", "kubernetes-api",
                "COLONY_CLUSTER_SIZE", Integer.toString(clusterSize),
                "COLONY_REDIS_URL", redis.uri(),
                "COLONY_CONFIG", configuration(pod, own).toString()));
    builder.environment().put("COLONY_HTTP_ENABLED", "false");
    try {
      Process process = builder.start();
      started.add(process::destroyForcibly);
      return process;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** What the kubelet mounts, at other places; and the gate before the pod. */
  private Path configuration(int pod, ChaosCluster.Address own) {
    try {
      Path token = Files.writeString(folder.resolve("token"), "secret");
      return Files.writeString(
          folder.resolve(name(pod) + ".conf"),
          """
          pekko.remote.artery {
            bind { hostname = "%s", port = %d }
            advanced.tcp.outbound-client-hostname = "%s"
          }
          mounted { api-ca-path = "%s", api-token-path = "%s" }
          pekko.discovery.kubernetes-api = ${mounted} { pod-namespace = %s }
          pekko.coordination.lease.kubernetes = ${mounted} { namespace = %s }
          """
              .formatted(
                  own.bindHost(),
                  own.bindPort(),
                  own.host(),
                  api.certificate(),
                  token,
                  ApiServer.NAMESPACE,
                  ApiServer.NAMESPACE));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    started.close();
  }
}
