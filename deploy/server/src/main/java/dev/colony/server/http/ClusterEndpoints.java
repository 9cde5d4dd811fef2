package dev.colony.server.http;

import dev.colony.server.access.Role;
import dev.colony.server.http.Endpoint.Reach;
import dev.colony.server.http.Endpoint.Verb;
import java.util.List;
import java.util.Set;

/** The cluster as a whole. */
record ClusterEndpoints(ApiSources sources) {

  List<Endpoint> all() {
    return List.of(
        new Endpoint(
            "getCluster",
            Verb.GET,
            new PathTemplate("/v1/cluster"),
            Role.VIEWER,
            Reach.EVERY_TENANT,
            Set.of(),
            call -> ApiResponse.ok(sources.cluster().get())),
        new Endpoint(
            "getStore",
            Verb.GET,
            new PathTemplate("/v1/store"),
            Role.VIEWER,
            Reach.EVERY_TENANT,
            Set.of(),
            call -> ApiResponse.ok(sources.agents().store().view())));
  }
}
