package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.json;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.catalog.ModelCatalog;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.routing.BacklogExchange;
import dev.colony.inference.routing.ResidencyView;
import dev.colony.inference.routing.RoutingSettings;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.Replicas;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Gateways in front of an embedded replica whose cache holds two of the pages that are asked about,
 * and what the replica itself says of them. Closes what was opened, the last one first.
 */
final class GatewayRig implements AutoCloseable {

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final HttpClient http = open(HttpClient.newHttpClient());
  private int calls;

  <T extends AutoCloseable> T open(T one) {
    opened.add(one);
    return one;
  }

  /**
   * A replica, which is not closed with the rig.
   *
   * @param more settings beside the size of its cache
   */
  static EmbeddedReplica replica(String id, String... more) {
    List<String> settings =
        new ArrayList<>(List.of("capacity-blocks = 48", "context-tokens = 700"));
    settings.addAll(Arrays.asList(more));
    return Replicas.start(id, settings.toArray(String[]::new));
  }

  HttpInferenceGateway gateway(
      String node, Config config, ReplicaSet replicas, ResidencyView view, CallObserver observer) {
    return open(
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            node,
            replicas,
            view,
            observer,
            BacklogExchange.NONE));
  }

  /** A call over a page, of which the cache holds two. */
  InferenceRequest call(String page) {
    return call(page, 50);
  }

  InferenceRequest call(String page, int lines) {
    String text = ("int " + page + " = 0; ").repeat(lines);
    return InferenceRequest.of(
        "call-" + calls++,
        Prompt.of("Answer.", List.of(new PromptPage(page, text, 6 * lines)), "Question: what?"),
        ReplyForm.text(20),
        CallContext.within(Duration.ofSeconds(20)));
  }

  /** The pages in a replica's cache, as the replica says. */
  Set<String> resident(URI replica) {
    HttpRequest request = HttpRequest.newBuilder(replica.resolve("/colony/residency")).build();
    Set<String> pages = new TreeSet<>();
    try {
      json(http.send(request, BodyHandlers.ofString()).body())
          .get("pages")
          .forEach(page -> pages.add(page.get("id").asText()));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
    return pages;
  }

  @Override
  public void close() {
    for (AutoCloseable one : opened.reversed()) {
      try {
        one.close();
      } catch (Exception failure) {
        throw new AssertionError(failure);
      }
    }
  }
}
