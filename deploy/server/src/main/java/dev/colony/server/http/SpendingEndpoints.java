package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.join;

import dev.colony.blackboard.Scope;
import dev.colony.server.access.Role;
import dev.colony.server.http.Endpoint.Verb;
import java.util.List;
import java.util.Optional;

/** What the model calls of tenants have taken of their budgets. */
record SpendingEndpoints(ApiSources sources) {

  private static final String SPENDING = "/v1/tenants/{tenant}/spending";

  List<Endpoint> all() {
    return List.of(
        Endpoint.of("getSpending", Verb.GET, SPENDING, Role.VIEWER, this::show, "sessionId"));
  }

  private ApiResponse show(Call call) {
    String tenant = Call.checked(() -> Scope.tenant(call.path("tenant"))).tenant();
    Optional<String> session = call.query("sessionId");
    return ApiResponse.ok(join(Call.checked(() -> sources.spending().of(tenant, session))));
  }
}
