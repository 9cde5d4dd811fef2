package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.client.http.HttpColony;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.fixture.TokenIssuer;
import dev.colony.server.http.ApiClient.Reply;
import dev.colony.server.http.Endpoint.Reach;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens of an issuer in the place of keys, on every path of the API. */
class TokenAccessTest {

  @TempDir private static Path folder;

  private static ApiRig rig;
  private static TokenIssuer issuer;
  private static HttpApi api;

  @BeforeAll
  static void start() {
    rig = new ApiRig();
    issuer = new TokenIssuer();
    AccessSettings keys = ApiRig.keys(folder, List.of());
    api =
        rig.start(
            new AccessSettings(keys.keysFile(), issuer.settings()),
            Map.of("rate.without-key", 10_000, "streams.heartbeat", "100ms"));
  }

  @AfterAll
  static void end() {
    api.close();
    issuer.close();
    rig.close();
  }

  private static String token(String tenant, Role role) {
    return issuer.token(TokenIssuer.claims(role.word(), tenant, role));
  }

  private static ApiClient with(String credential) {
    return ApiClient.of(api).key(credential);
  }

  private static Reply ask(String credential, Endpoint endpoint) {
    return with(credential).send(endpoint.verb().name(), MethodsTest.path(endpoint), "", Map.of());
  }

  /** {@link AccessTableTest} holds keys to the table. */
  @Test
  void eachRoleMayOnEachRouteWhatItMayByKey() {
    for (Role role : Role.values()) {
      for (Endpoint endpoint : OpenApiTest.endpoints()) {
        assertThat(ask(token(ApiRig.TENANT, role), endpoint).status())
            .as("%s as %s", endpoint.operationId(), role)
            .isEqualTo(ask(ApiRig.key(role), endpoint).status());
      }
    }
  }

  @Test
  void aTokenOfAnotherTenantReachesNothingOfThisOneAndOneOfAllEverything() {
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      Reply rival = ask(token("rival", Role.ADMIN), endpoint);
      boolean reaches = endpoint.reach() == Reach.NO_TENANT || endpoint.reach() == Reach.ANYONE;
      assertThat(rival.status() == 403).as(endpoint.operationId()).isEqualTo(!reaches);
      assertThat(ask(token(Principal.EVERY_TENANT, Role.ADMIN), endpoint).status())
          .as(endpoint.operationId())
          .isNotIn(401, 403);
    }
  }

  @Test
  void aTokenThatIsNotTakenReachesNothingAndIsToldWhy() {
    String expired =
        issuer.token(
            TokenIssuer.claims("ann", ApiRig.TENANT, Role.ADMIN)
                .expirationTime(Date.from(Instant.now().minusSeconds(3600))));
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      Reply reply = ask(expired, endpoint);
      if (endpoint.reach() == Reach.ANYONE) {
        reply.is(200);
        continue;
      }
      assertThat(reply.problem(401, "no-key").headers().get("WWW-Authenticate"))
          .isEqualTo(
              "Bearer realm=\"colony\", error=\"invalid_token\","
                  + " error_description=\"it has expired (exp)\"");
      assertThat(reply.text()).contains("the token is not taken: it has expired (exp)");
      assertThat(reply.text()).doesNotContain(expired);
    }
  }

  @Test
  void itMayStandInTheHeaderOfAnthropicsClients() {
    ApiClient client = ApiClient.of(api);
    client
        .send("GET", "/v1/models", "", Map.of("x-api-key", token(ApiRig.TENANT, Role.VIEWER)))
        .is(200);
    client
        .send(
            "POST", "/v1/messages", "{}", Map.of("x-api-key", token(ApiRig.TENANT, Role.OPERATOR)))
        .problem(400, "invalid-value");
    Reply none = client.send("POST", "/v1/messages", "{}", Map.of("x-api-key", "a.b.c"));
    none.problem(401, "no-key");
    assertThat(none.json().at("/error/type").asText()).isEqualTo("authentication_error");
  }

  @Test
  void theHolderOfATokenIsToldApartFromTheHolderOfAKeyOfItsName() {
    AgentId id = rig.agent();
    String agent = ApiRig.COLONY + "/agents/" + id.name();
    String subject = Role.OPERATOR.name();
    ApiClient client =
        with(issuer.token(TokenIssuer.claims(subject, ApiRig.TENANT, Role.OPERATOR)));
    client
        .post(agent + "/runs", "{\"input\": 1, \"namespace\": \"work\", \"runId\": \"r\"}")
        .is(202);
    JsonNode request =
        rig.board(id).read("request:run:r").toCompletableFuture().join().orElseThrow().value();
    assertThat(request.path("requestedBy").asText()).isEqualTo("token " + subject);
    client.get("/v1/cluster").problem(403, "forbidden");
  }

  @Test
  void aTokenThatExpiresEndsItsStreams() {
    AgentId id = rig.agent();
    AgentHandle agent = HttpColony.at(api.uri(), ApiRig.key(Role.OPERATOR)).agent(id);
    RunHandle run = agent.run(IntNode.valueOf(1), RunOptions.namespace(ApiRig.NAMESPACE));
    run.stored().toCompletableFuture().join();
    Instant almost = Instant.now().minusSeconds(25);
    String token =
        issuer.token(
            TokenIssuer.claims("ann", ApiRig.TENANT, Role.VIEWER)
                .expirationTime(Date.from(almost)));
    try (Stream<String> lines =
        with(token).stream(
            "%s/agents/%s/runs/%s/events?namespace=%s"
                .formatted(ApiRig.COLONY, id.name(), run.runId(), ApiRig.NAMESPACE),
            Map.of())) {
      Event last = Event.all(lines).getLast();
      assertThat(last.name()).isEqualTo("problem");
      assertThat(last.data().path("code").asText()).isEqualTo("no-key");
      assertThat(last.data().path("detail").asText()).contains("expired");
    }
  }

  @Test
  void whileTheIssuersKeysCannotBeReadCallersAreAskedToComeBack() {
    try (TokenIssuer away = new TokenIssuer()) {
      away.down(true);
      try (HttpApi other =
          rig.start(new AccessSettings(Optional.empty(), away.settings()), Map.of())) {
        Reply reply =
            ApiClient.of(other)
                .key(away.token(TokenIssuer.claims("ann", ApiRig.TENANT, Role.VIEWER)))
                .get("/v1/tenants/acme/agents");
        reply.problem(503, "unverified");
        assertThat(reply.headers()).containsKey("Retry-After");
        assertThat(reply.json().path("retryable").asBoolean()).isTrue();
        ApiClient.of(other).get("/v1/tenants/acme/agents").problem(401, "no-key");
      }
    }
  }
}
