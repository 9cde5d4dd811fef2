package dev.colony.cli.local;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Model calls of a node that have no answer yet.
 *
 * @param server the base URL of the node's model server
 * @param oldest how long the first of them has been under way
 */
public record WaitingCalls(String server, int calls, Duration oldest) {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  private static final Pattern CALLS = gauge("colony_model_calls_active");
  private static final Pattern OLDEST = gauge("colony_model_calls_oldest_seconds");

  /** Those that a node's figures speak of, as it shows them to Prometheus; empty without a call. */
  static Optional<WaitingCalls> in(String server, String figures) {
    int calls = (int) value(CALLS, figures);
    return calls == 0
        ? Optional.empty()
        : Optional.of(
            new WaitingCalls(
                server, calls, Duration.ofMillis((long) (1000 * value(OLDEST, figures)))));
  }

  /** Those of a node of this machine; empty without a call, or if it does not answer. Blocks. */
  static Optional<WaitingCalls> of(NodeRecord node) {
    return figures(node).flatMap(text -> in(node.replica(), text));
  }

  /** What the node's management shows to Prometheus. */
  private static Optional<String> figures(NodeRecord node) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + node.management() + "/metrics"))
            .timeout(TIMEOUT)
            .build();
    try {
      HttpResponse<String> answer = HTTP.send(request, BodyHandlers.ofString());
      return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    } catch (IOException silent) {
      return Optional.empty();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Pattern gauge(String name) {
    return Pattern.compile("^" + name + "(?:\\{[^}]*\\})? ([0-9.E+-]+)$", Pattern.MULTILINE);
  }

  private static double value(Pattern gauge, String figures) {
    Matcher found = gauge.matcher(figures);
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }
}
