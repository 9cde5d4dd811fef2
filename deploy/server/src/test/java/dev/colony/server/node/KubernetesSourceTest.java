package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.colony.inference.replicas.ReplicaSource.Address;
import dev.colony.server.InvalidConfigurationException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas of a service, of an API server that the test scripts. */
class KubernetesSourceTest {

  private static final String SLICES =
      """
      {"kind": "EndpointSliceList", "items": [
        {"endpoints": [
          {"addresses": ["10.0.0.1"], "conditions": {"ready": true, "serving": true, "terminating": false}},
          {"addresses": ["10.0.0.2"], "conditions": {"ready": false, "serving": true, "terminating": true}},
          {"addresses": ["10.0.0.3"], "conditions": {"ready": false, "serving": false, "terminating": true}},
          {"addresses": ["10.0.0.4"], "conditions": {"ready": false}},
          {"addresses": ["10.0.0.5"]}]},
        {"endpoints": [{"addresses": ["fd00::1"], "conditions": {"ready": true}}]},
        {"endpoints": null}]}
      """;

  @TempDir private Path account;
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    Files.writeString(account.resolve("token"), "secret-1\n");
    Files.writeString(account.resolve("namespace"), "lab");
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.add(
              exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("Authorization"));
          byte[] body = SLICES.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  private KubernetesSource source(String name) {
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    return new KubernetesSource(new KubernetesSource.Api(uri, account), name);
  }

  @Test
  void whatServesIsAReplicaAndWhatIsAboutToGoDrains() throws Exception {
    assertThat(source("models:8000").replicas())
        .containsExactlyInAnyOrder(
            Address.of(URI.create("http://10.0.0.1:8000")),
            new Address(URI.create("http://10.0.0.2:8000"), true),
            Address.of(URI.create("http://10.0.0.5:8000")),
            Address.of(URI.create("http://[fd00::1]:8000")));
    assertThat(asked)
        .containsExactly(
            "/apis/discovery.k8s.io/v1/namespaces/lab/endpointslices"
                + "?labelSelector=kubernetes.io%2Fservice-name%3Dmodels Bearer secret-1");
  }

  @Test
  void theTokenIsReadAnewAndTheNamespaceMayBeAnother() throws Exception {
    KubernetesSource source = source("gpu/models:8000");
    source.replicas();
    Files.writeString(account.resolve("token"), "secret-2");
    source.replicas();
    assertThat(asked)
        .satisfiesExactly(
            first -> assertThat(first).contains("/namespaces/gpu/").endsWith("secret-1"),
            second -> assertThat(second).endsWith("secret-2"));
  }

  @Test
  void whereItIsNotAllowedTheFailureSaysWhatToAllow() {
    status = 403;
    assertThatThrownBy(() -> source("models:8000").replicas())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("allow the account to list endpointslices")
        .hasMessageNotContaining("secret");
  }

  @Test
  void whatIsNoServiceAndWhatIsNoPodIsRefused() {
    assertThatThrownBy(() -> source("models"))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("namespace/service:port");
    assertThatThrownBy(() -> KubernetesSource.Api.of(Map.of()))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("this is no pod");
    assertThat(KubernetesSource.Api.of(Map.of("KUBERNETES_SERVICE_HOST", "fd00::1")).uri())
        .isEqualTo(URI.create("https://[fd00::1]:443"));
  }
}
