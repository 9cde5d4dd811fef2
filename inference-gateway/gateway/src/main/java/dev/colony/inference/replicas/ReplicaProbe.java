package dev.colony.inference.replicas;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/** Asks servers for what stands at paths of their root. Blocks; thread-safe. */
final class ReplicaProbe implements AutoCloseable {

  /** Of what a server says, in bytes. */
  private static final int MOST_BYTES = 4 << 20;

  /** The status of a server that does not answer. */
  private static final int SILENT = 599;

  private final Duration timeout;
  private final HttpClient http;

  ReplicaProbe(Duration timeout, ExecutorService threads) {
    this.timeout = timeout;
    this.http = ReplicaConnections.client(threads, timeout);
  }

  /** The status that a path is answered with; {@value #SILENT} where nothing answers. */
  int status(Replica replica, String path) {
    try {
      return http.send(get(replica, path), HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException down) {
      return SILENT;
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
      return SILENT;
    }
  }

  /** What stands at a path: "" with another status than 200, empty where nothing answers. */
  Optional<String> body(Replica replica, String path) {
    try {
      HttpResponse<InputStream> response =
          http.send(get(replica, path), HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream in = response.body()) {
        return Optional.of(
            response.statusCode() == 200
                ? new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8)
                : "");
      }
    } catch (IOException down) {
      return Optional.empty();
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private HttpRequest get(Replica replica, String path) {
    URI base = replica.baseUri();
    URI at = URI.create(base.getScheme() + "://" + base.getRawAuthority() + path);
    return HttpRequest.newBuilder(at).timeout(timeout).GET().build();
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
