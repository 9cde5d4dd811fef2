package dev.colony.server.http;

import dev.colony.server.access.Role;
import dev.colony.server.http.Endpoint.Reach;
import dev.colony.server.http.Endpoint.Verb;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** The cluster as a whole, and the API itself. */
record ClusterEndpoints(ApiSources sources) {

  private static final String OPENAPI = "openapi.yaml";

  List<Endpoint> all() {
    return List.of(
        new Endpoint(
            "getCluster",
            Verb.GET,
            new PathTemplate("/v1/cluster"),
            Role.VIEWER,
            Reach.EVERY_TENANT,
            Set.of(),
            call -> Answer.ok(sources.cluster().get())),
        new Endpoint(
            "getPages",
            Verb.GET,
            new PathTemplate("/v1/pages"),
            Role.VIEWER,
            Reach.EVERY_TENANT,
            Set.of(),
            call -> Answer.ok(sources.pages().get())),
        new Endpoint(
            "getStore",
            Verb.GET,
            new PathTemplate("/v1/store"),
            Role.VIEWER,
            Reach.EVERY_TENANT,
            Set.of(),
            call -> Answer.ok(sources.agents().store().json())),
        new Endpoint(
            "getOpenApi",
            Verb.GET,
            new PathTemplate("/v1/" + OPENAPI),
            Role.VIEWER,
            Reach.ANYBODY,
            Set.of(),
            call -> new Answer.Document("yaml", openApi())));
  }

  static String openApi() {
    try (InputStream document = ClusterEndpoints.class.getResourceAsStream(OPENAPI)) {
      return new String(document.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
