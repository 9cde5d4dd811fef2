package dev.colony.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.node.KubernetesSource;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionSpec;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.coordination.lease.javadsl.Lease;
import org.apache.pekko.coordination.lease.javadsl.LeaseProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rights of the nodes' account are those that they use. The lease is taken and given back
 * against an API server that writes down what it is asked for; the discovery asks for a list of
 * pods.
 */
class AccessRightsTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Map<String, String> VERBS =
      Map.of("GET", "get", "POST", "create", "PUT", "update");

  /** One call for a lease, as the API server sees it. */
  private record Call(String verb, String path, JsonNode body) {}

  private final List<Call> calls = Collections.synchronizedList(new ArrayList<>());
  private final String leaseName = leaseName();
  private HttpServer server;
  private ActorSystem system;
  private ObjectNode stored;
  private int version;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    system = ActorSystem.create("colony", config(server.getAddress().getPort()));
  }

  @AfterEach
  void stop() throws Exception {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().get(20, TimeUnit.SECONDS);
    server.stop(0);
  }

  @Test
  void theNodesMayDoWhatTheyDoAndNoMore() throws Exception {
    takeAndGiveBack();
    Set<String> used = new TreeSet<>(Set.of("/pods list"));
    calls.forEach(call ->
        used.add(
            "pekko.apache.org/leases "
                + call.verb
                + (call.verb.equals("create") ? "" : " " + leaseName)));
    assertThat(used).hasSize(4);
    assertThat(granted(ChartFolder.DEFAULTS)).isEqualTo(used);
  }

  /** Who looks for model servers behind a service may list its slices, in the namespace of both. */
  @Test
  void thePodsOfAServiceAreListedWhereTheyAreModelServers(@TempDir Path folder) throws Exception {
    Path account = Files.createDirectory(folder.resolve("account"));
    Files.writeString(account.resolve("token"), "secret");
    Files.writeString(account.resolve("namespace"), ChartFolder.RELEASE);
    URI api = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    stored = JSON.createObjectNode();
    new KubernetesSource(new KubernetesSource.Api(api, account), "vllm:8000").replicas();
    assertThat(calls)
        .extracting(Call::path)
        .containsExactly("/apis/discovery.k8s.io/v1/namespaces/colony/endpointslices");

    Path shared = ChartFolder.example("shared-replicas");
    Set<String> more = new TreeSet<>(granted(shared));
    more.removeAll(granted(ChartFolder.DEFAULTS));
    // What is asked of a whole collection is its list.
    assertThat(more).containsExactly("discovery.k8s.io/endpointslices list");
    String values = ChartFolder.read(shared);
    for (var named : Map.of("colony/vllm:8000", true, "gpu/vllm:8000", false).entrySet()) {
      Path file = folder.resolve("values.yaml");
      Files.writeString(file, values.replace("vllm:8000", named.getKey()));
      assertThat(granted(file).containsAll(more)).isEqualTo(named.getValue());
    }
  }

  @Test
  void theDefinitionOfTheLeaseHasWhatIsStored() throws Exception {
    takeAndGiveBack();
    CustomResourceDefinitionSpec lease =
        new Manifest(
                StrictYaml.objects(ChartFolder.read(ChartFolder.CHART.resolve("crds/leases.yaml"))))
            .all(CustomResourceDefinition.class)
            .getFirst()
            .getSpec();
    var served = lease.getVersions().getFirst();
    assertThat(calls)
        .allMatch(call ->
            call.path.startsWith(
                "/apis/%s/%s/namespaces/colony/%s"
                    .formatted(lease.getGroup(), served.getName(), lease.getNames().getPlural())));
    var fields =
        served.getSchema().getOpenAPIV3Schema().getProperties().get("spec").getProperties();
    assertThat(calls.stream().filter(call -> call.body.isObject()))
        .isNotEmpty()
        .allSatisfy(call -> {
          assertThat(call.body.get("kind").asText()).isEqualTo(lease.getNames().getKind());
          call.body
              .get("spec")
              .properties()
              .forEach(field -> {
                assertThat(fields).containsKey(field.getKey());
                assertThat(fields.get(field.getKey()).getType())
                    .isEqualTo(field.getValue().isTextual() ? "string" : "integer");
              });
        });
  }

  private void takeAndGiveBack() throws Exception {
    Lease lease =
        LeaseProvider.get(system)
            .getLease(leaseName, "pekko.coordination.lease.kubernetes", "node-1");
    assertThat(lease.acquire().toCompletableFuture().get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(lease.release().toCompletableFuture().get(20, TimeUnit.SECONDS)).isTrue();
  }

  private static Set<String> granted(Path values) {
    Set<String> granted = new TreeSet<>();
    for (PolicyRule rule : ChartFolder.manifest(values).one(Role.class, "colony").getRules()) {
      String what = rule.getApiGroups().getFirst() + "/" + rule.getResources().getFirst();
      assertThat(rule.getApiGroups()).hasSize(1);
      assertThat(rule.getResources()).hasSize(1);
      List<String> names =
          rule.getResourceNames().isEmpty() ? List.of("") : rule.getResourceNames();
      for (String verb : rule.getVerbs()) {
        names.forEach(name -> granted.add((what + " " + verb + " " + name).strip()));
      }
    }
    return granted;
  }

  private static String leaseName() {
    return ConfigFactory.parseString(
            "COLONY_NODE_HOST = x\n"
                + ChartFolder.manifest(ChartFolder.DEFAULTS)
                    .one(ConfigMap.class, "colony")
                    .getData()
                    .get("colony.conf"))
        .getString("pekko.cluster.split-brain-resolver.lease-majority.lease-name");
  }

  private void answer(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    JsonNode sent = JSON.readTree(body);
    String path = exchange.getRequestURI().getPath();
    String method = exchange.getRequestMethod();
    calls.add(new Call(VERBS.getOrDefault(method, method), path, sent));
    int status = 200;
    if (method.equals("GET") && stored == null) {
      status = 404;
    } else if (!method.equals("GET")) {
      status = method.equals("POST") ? 201 : 200;
      stored = (ObjectNode) sent;
      ((ObjectNode) stored.get("metadata")).put("resourceVersion", Integer.toString(++version));
    }
    byte[] answer = status == 404 ? new byte[0] : JSON.writeValueAsBytes(stored);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private static Config config(int port) {
    return ConfigFactory.parseString(
            """
            pekko.loglevel = WARNING
            pekko.coordination.lease.kubernetes {
              api-service-host = "127.0.0.1"
              api-service-port = %d
              secure-api-server = false
              namespace = colony
            }
            """
                .formatted(port))
        .withFallback(ConfigFactory.load());
  }
}
