package dev.colony.server.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.inference.replicas.ReplicaSource;
import dev.colony.server.InvalidConfigurationException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The replicas behind a Kubernetes service: the addresses in its endpoint slices. One that serves
 * is a replica; one that is about to go drains, as long as it still serves. The pod's account must
 * be allowed to list {@code endpointslices} of {@code discovery.k8s.io}.
 */
public final class KubernetesSource implements ReplicaSource {

  /**
   * The API server, as a pod knows it.
   *
   * @param account the folder with the account's token, its namespace and the server's certificate
   */
  public record Api(URI uri, Path account) {

    /** Where Kubernetes puts what a pod's account needs. */
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    /** By the environment that Kubernetes gives every pod. */
    static Api of(Map<String, String> environment) {
      String host = environment.get("KUBERNETES_SERVICE_HOST");
      if (host == null) {
        throw new InvalidConfigurationException(
            "colony.inference.replicas.kubernetes is set, but this is no pod: unset it, or use"
                + " dns");
      }
      String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
      return new Api(
          URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port),
          ACCOUNT);
    }
  }

  private static final ObjectMapper JSON = JsonMapper.builder().build();
  private static final Pattern SERVICE =
      Pattern.compile("(?:([a-z0-9-]+)/)?([a-z0-9-]+):(\\d{1,5})");
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  /** Of an answer, in bytes: about a thousand endpoints. */
  private static final int LARGEST = 4 << 20;

  private final Api api;
  private final String namespace;
  private final String service;
  private final int port;
  private HttpClient http;

  /**
   * @param name a service and the port of its pods, as {@code [namespace/]service:port}
   */
  public KubernetesSource(Api api, String name) {
    Matcher parts = SERVICE.matcher(name);
    if (!parts.matches()) {
      throw new InvalidConfigurationException(
          "colony.inference.replicas.kubernetes = "
              + name
              + " is no service, allowed is service:port or namespace/service:port");
    }
    this.api = api;
    this.namespace = parts.group(1);
    this.service = parts.group(2);
    this.port = Integer.parseInt(parts.group(3));
  }

  @Override
  public List<Address> replicas() throws IOException {
    JsonNode slices =
        get(
            "/apis/discovery.k8s.io/v1/namespaces/"
                + (namespace == null ? account("namespace") : namespace)
                + "/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3D"
                + service);
    Map<URI, Address> found = new LinkedHashMap<>();
    for (JsonNode slice : slices.path("items")) {
      for (JsonNode endpoint : slice.path("endpoints")) {
        JsonNode conditions = endpoint.path("conditions");
        // What is not said means yes; of "serving", what "ready" says.
        boolean serving =
            conditions.path("serving").asBoolean(conditions.path("ready").asBoolean(true));
        boolean draining = conditions.path("terminating").asBoolean(false);
        if (serving) {
          endpoint
              .path("addresses")
              .forEach(address -> {
                URI uri = uri(address.asText());
                found.put(uri, new Address(uri, draining));
              });
        }
      }
    }
    return List.copyOf(found.values());
  }

  private URI uri(String address) {
    return URI.create(
        "http://" + (address.contains(":") ? "[" + address + "]" : address) + ":" + port);
  }

  private JsonNode get(String path) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(api.uri().resolve(path)).timeout(TIMEOUT).GET();
    // Read each time: Kubernetes renews it.
    request.header("Authorization", "Bearer " + account("token"));
    try {
      HttpResponse<InputStream> response =
          http().send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        byte[] bytes = body.readNBytes(LARGEST + 1);
        if (response.statusCode() != 200 || bytes.length > LARGEST) {
          throw new IOException(
              "Kubernetes does not tell the endpoints of "
                  + service
                  + ": status "
                  + response.statusCode()
                  + (response.statusCode() == 403
                      ? ", allow the account to list endpointslices of discovery.k8s.io"
                      : ""));
        }
        return JSON.readTree(bytes);
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
      throw new IOException("Kubernetes was not asked to the end", closed);
    }
  }

  private String account(String file) throws IOException {
    return Files.readString(api.account().resolve(file)).strip();
  }

  private HttpClient http() throws IOException {
    if (http == null) {
      HttpClient.Builder builder =
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(TIMEOUT);
      if (api.uri().getScheme().equals("https")) {
        builder.sslContext(trusting(api.account().resolve("ca.crt")));
      }
      http = builder.build();
    }
    return http;
  }

  private static SSLContext trusting(Path authority) throws IOException {
    try (InputStream in = Files.newInputStream(authority)) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate one : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("ca-" + number++, one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException bad) {
      throw new IOException("the certificate of Kubernetes in " + authority + " is unusable", bad);
    }
  }
}
