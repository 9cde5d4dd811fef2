package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.routing.ResidencyReport;
import dev.colony.inference.routing.ResidencyReport.Page;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks a replica what it holds, once at a time. */
public final class ResidencyPoll {

  private final ModelServer client;
  private final HttpExchanges http;
  private final URI uri;
  private final String replica;

  /**
   * @param replica the id under which reports are published
   */
  public ResidencyPoll(String replica, URI base, ProviderSettings settings, HttpClient http) {
    this.client = new ModelServer(base, settings, http);
    this.http = new HttpExchanges(http, settings.maxReplyBytes());
    this.uri = ModelServer.root(base).resolve("colony/residency");
    this.replica = replica;
  }

  /**
   * The replica's next report: at once without {@code known}, otherwise as soon as it differs from
   * that one, or unchanged after a while. Empty if the server publishes no residency.
   *
   * @throws InferenceException if the server cannot be asked
   */
  public Optional<ResidencyReport> next(Optional<ResidencyReport> known, Duration timeout)
      throws InterruptedException {
    URI address =
        known
            .map(report ->
                URI.create(
                    uri
                        + "?after="
                        + report.version()
                        + "&incarnation="
                        + URLEncoder.encode(report.incarnation(), StandardCharsets.UTF_8)))
            .orElse(uri);
    try {
      HttpExchanges.Whole response =
          http.send(HttpRequest.newBuilder(address).GET().build(), timeout);
      return switch (response.status()) {
        case 200 -> Optional.of(report(HttpExchanges.parse(uri, response.body())));
        case 401, 403, 404, 405, 501 -> Optional.empty();
        default -> throw StatusErrors.failure(uri, response.response(), response.body());
      };
    } catch (CallFailure e) {
      throw e.toInferenceException();
    }
  }

  /**
   * Returns if the server is there.
   *
   * @throws InferenceException if it is not
   */
  public void checkAlive(Duration timeout) throws InterruptedException {
    try {
      client.models(timeout);
    } catch (CallFailure e) {
      throw e.toInferenceException();
    }
  }

  private ResidencyReport report(JsonNode root) throws CallFailure {
    if (!root.path("incarnation").isTextual()
        || !root.path("version").isIntegralNumber()
        || !root.path("pages").isArray()) {
      throw new CallFailure(Kind.BAD_REPLY, uri + " answered no residency report", null);
    }
    List<Page> pages = new ArrayList<>(root.get("pages").size());
    for (JsonNode page : root.get("pages")) {
      pages.add(new Page(page.path("id").asText(), page.path("tokens").asInt()));
    }
    return new ResidencyReport(
        replica,
        root.get("incarnation").textValue(),
        root.get("version").longValue(),
        false,
        pages);
  }
}
