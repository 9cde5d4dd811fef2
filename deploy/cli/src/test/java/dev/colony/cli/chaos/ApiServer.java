package dev.colony.cli.chaos;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.http.MockResponse;
import io.fabric8.mockwebserver.http.RecordedRequest;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * An API server of Kubernetes that keeps pods and leases in memory, over TLS. An update that names
 * another version than the one that is there is a conflict, which is all that a lease needs.
 */
final class ApiServer implements AutoCloseable {

  static final String NAMESPACE = "default";

  private static final ResourceDefinitionContext LEASES =
      new ResourceDefinitionContext.Builder()
          .withGroup("pekko.apache.org")
          .withVersion("v1")
          .withKind("Lease")
          .withPlural("leases")
          .withNamespaced(true)
          .build();

  private final KubernetesMockServer server =
      new KubernetesMockServer(
          new Context(), new MockWebServer(), new HashMap<>(), new Answering(), true);
  private final NamespacedKubernetesClient client;

  /** Says what it answers with; the lease's client takes nothing for JSON that does not say so. */
  private static final class Answering extends KubernetesCrudDispatcher {
    @Override
    public MockResponse dispatch(RecordedRequest request) {
      return super.dispatch(request).setHeader("Content-Type", "application/json");
    }
  }

  ApiServer() {
    server.init(InetAddress.getLoopbackAddress(), 0);
    client = server.createClient();
  }

  int port() {
    return server.getPort();
  }

  /** Of the authority that its clients trust. */
  Path certificate() {
    return Path.of(server.getSelfSignedCertificate().certificatePath());
  }

  /** A pod that runs at an address, with labels, and its port of management. */
  void add(String name, String address, Map<String, String> labels, int managementPort) {
    client
        .pods()
        .inNamespace(NAMESPACE)
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("colony")
                .addNewPort()
                .withName("management")
                .withContainerPort(managementPort)
                .endPort()
                .endContainer()
                .endSpec()
                .withNewStatus()
                .withPhase("Running")
                .withPodIP(address)
                .endStatus()
                .build())
        .create();
  }

  void remove(String name) {
    client.pods().inNamespace(NAMESPACE).withName(name).delete();
  }

  /** The holder of a lease; empty if it has none, or if there is no such lease. */
  String ownerOf(String lease) {
    GenericKubernetesResource found =
        client.genericKubernetesResources(LEASES).inNamespace(NAMESPACE).withName(lease).get();
    return found == null ? "" : found.get("spec", "owner");
  }

  @Override
  public void close() {
    client.close();
    server.destroy();
  }
}
