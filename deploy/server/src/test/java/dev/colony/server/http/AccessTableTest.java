package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.http.ApiClient.Reply;
import dev.colony.server.http.Endpoint.Reach;
import dev.colony.server.http.Endpoint.Verb;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every endpoint times every kind of caller. */
class AccessTableTest {

  private static final List<String> FOR_ADMINS =
      List.of("stopAgent", "purgeAgent", "purgeAgents", "purgeRuns");

  /** They are asked by POST, and change nothing by themselves. */
  private static final List<String> LOOKS = List.of("mcp", "explore");

  @TempDir private static Path folder;

  private static ApiRig rig;
  private static HttpApi api;

  @BeforeAll
  static void start() {
    rig = new ApiRig();
    api =
        rig.start(
            ApiRig.keys(
                folder,
                List.of(
                    AccessKey.of(new Principal("rival", "rival", Role.ADMIN), "key-of-rival"),
                    AccessKey.of(new Principal("root", "*", Role.VIEWER), "key-of-root"))),
            Map.of("rate.without-key", 10_000));
  }

  @AfterAll
  static void end() {
    api.close();
    rig.close();
  }

  @Test
  void noKeyAndGarbageAreRefused() {
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      ApiClient keyless = ApiClient.of(api);
      if (endpoint.reach() == Reach.ANYONE) {
        ask(keyless, endpoint).is(200);
        ask(keyless.key("garbage"), endpoint).is(200);
        continue;
      }
      assertThat(ask(keyless, endpoint).problem(401, "no-key").headers())
          .containsKey("WWW-Authenticate");
      for (String garbage : List.of("garbage", "key-of-", "key-of-ADMIN2", "%00", "ä")) {
        ask(keyless.key(garbage), endpoint).problem(401, "no-key");
      }
      send(keyless, endpoint, Map.of("Authorization", "Basic a2V5LW9mLUFETUlO"))
          .problem(401, "no-key");
      send(keyless, endpoint, Map.of("Authorization", "Bearer")).problem(401, "no-key");
    }
  }

  /** As Anthropic's clients give it. */
  @Test
  void aKeyMayStandInAHeaderOfItsOwn() {
    ApiClient client = ApiClient.of(api);
    Map<String, String> operator = Map.of("x-api-key", ApiRig.key(Role.OPERATOR));
    client.send("GET", "/v1/models", "", operator).is(200);
    client.send("POST", "/v1/messages", "{}", operator).problem(400, "invalid-value");
    client
        .send("POST", "/v1/messages", "{}", Map.of("x-api-key", ApiRig.key(Role.VIEWER)))
        .problem(403, "forbidden");
    Reply unknown = client.send("POST", "/v1/messages", "{}", Map.of("x-api-key", "garbage"));
    unknown.problem(401, "no-key");
    assertThat(unknown.json().at("/error/type").asText()).isEqualTo("authentication_error");
    client.key("garbage").send("GET", "/v1/models", "", operator).problem(401, "no-key");
  }

  @Test
  void theKeyOfAnotherTenantReachesNothingOfThisOne() {
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      Reply reply = ask(ApiClient.of(api).key("key-of-rival"), endpoint);
      if (endpoint.reach() == Reach.NO_TENANT || endpoint.reach() == Reach.ANYONE) {
        assertThat(reply.status()).as(reply.text()).isNotIn(401, 403).isLessThan(500);
      } else {
        reply.problem(403, "forbidden");
      }
    }
  }

  @Test
  void eachRoleDoesWhatItMayAndNoMore() {
    for (Role role : Role.values()) {
      for (Endpoint endpoint : OpenApiTest.endpoints()) {
        Reply reply = ask(ApiClient.of(api).key(ApiRig.key(role)), endpoint);
        boolean may = does(role, endpoint) && endpoint.reach() != Reach.EVERY_TENANT;
        assertThat(reply.status())
            .as("%s as %s: %s", endpoint.operationId(), role, reply.text())
            .matches(
                status -> may ? status != 401 && status != 403 && status < 500 : status == 403);
      }
    }
  }

  /** As docs/operations/access.md has it. */
  private static boolean does(Role role, Endpoint endpoint) {
    return switch (role) {
      // What a message of the protocol asks for needs the role that its tool does.
      case VIEWER -> endpoint.verb() == Verb.GET || LOOKS.contains(endpoint.operationId());
      case OPERATOR -> !FOR_ADMINS.contains(endpoint.operationId());
      case ADMIN -> true;
    };
  }

  @Test
  void theKeyOfAllTenantsLooksEverywhere() {
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      Reply reply = ask(ApiClient.of(api).key("key-of-root"), endpoint);
      assertThat(reply.status() == 403)
          .as("%s: %s", endpoint.operationId(), reply.text())
          .isEqualTo(endpoint.least() != Role.VIEWER);
    }
  }

  @Test
  void whoMayLookIsAllThatViewersAre() {
    assertThat(OpenApiTest.endpoints())
        .allMatch(one ->
            LOOKS.contains(one.operationId())
                || (one.least() == Role.VIEWER) == (one.verb() == Verb.GET))
        .filteredOn(one -> one.least() == Role.ADMIN)
        .extracting(Endpoint::operationId)
        .containsExactlyInAnyOrderElementsOf(FOR_ADMINS);
  }

  @Test
  void whatNamesNoTenantNeedsAKeyOfAllUnlessItIsForEveryKey() {
    assertThat(OpenApiTest.endpoints())
        .filteredOn(one -> one.reach() == Reach.NO_TENANT)
        .extracting(Endpoint::operationId)
        .containsExactlyInAnyOrder(
            "createChatCompletion",
            "createResponse",
            "getResponse",
            "cancelResponse",
            "deleteResponse",
            "listResponseInput",
            "createConversation",
            "getConversation",
            "deleteConversation",
            "createEmbedding",
            "createMessage",
            "countMessageTokens",
            "explore",
            "listModels",
            "getModel");
    assertThat(OpenApiTest.endpoints())
        .filteredOn(one -> one.reach() == Reach.ANYONE)
        .extracting(Endpoint::operationId)
        .containsExactlyInAnyOrder("getOpenApi", "getOpenApiJson");
  }

  private static Reply ask(ApiClient client, Endpoint endpoint) {
    return send(client, endpoint, Map.of());
  }

  /** Of a thing that is not there, so that nothing is held. */
  private static Reply send(ApiClient client, Endpoint endpoint, Map<String, String> headers) {
    return client.send(endpoint.verb().name(), MethodsTest.path(endpoint), "", headers);
  }
}
