package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colony.server.AuditLog;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import dev.colony.server.fixture.TokenIssuer;
import dev.colony.server.http.ApiClient.Reply;
import dev.colony.server.http.Endpoint.Verb;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Who did what is in the log, for every operation that changes something. */
class AuditLogTest {

  /** They are asked by POST, and change nothing by themselves. */
  private static final List<String> LOOKS =
      List.of("countMessageTokens", "createEmbedding", "explore", "mcp");

  @TempDir private Path folder;

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.NAME);

  private ApiRig rig;
  private TokenIssuer issuer;
  private HttpApi api;

  @BeforeEach
  void start() {
    lines.start();
    logger.addAppender(lines);
    rig = new ApiRig();
    issuer = new TokenIssuer();
    api =
        rig.start(
            new AccessSettings(ApiRig.keys(folder, List.of()).keysFile(), issuer.settings()),
            Map.of("reload", "50ms"));
  }

  @AfterEach
  void end() {
    api.close();
    issuer.close();
    rig.close();
    logger.detachAppender(lines);
  }

  /** What is told from here on of what is done meanwhile. */
  private List<Map<String, String>> told(Runnable doing) {
    int before = lines.list.size();
    doing.run();
    return new ArrayList<>(lines.list)
        .subList(before, lines.list.size()).stream().map(AuditLogTest::pairs).toList();
  }

  private static Map<String, String> pairs(ILoggingEvent line) {
    return line.getKeyValuePairs().stream()
        .collect(
            Collectors.toMap(
                pair -> pair.key, pair -> String.valueOf(pair.value), (a, b) -> b, TreeMap::new));
  }

  @Test
  void eachOperationThatChangesSomethingIsToldAndNoOther() {
    for (Endpoint endpoint : OpenApiTest.endpoints()) {
      boolean changes = endpoint.verb() != Verb.GET && !LOOKS.contains(endpoint.operationId());
      for (Role role : Role.values()) {
        String path = MethodsTest.path(endpoint);
        Reply[] reply = new Reply[1];
        List<Map<String, String>> told =
            told(() ->
                reply[0] =
                    ApiClient.of(api)
                        .key(ApiRig.key(role))
                        .send(endpoint.verb().name(), path, "", Map.of()));
        if (!changes) {
          assertThat(told).as(endpoint.operationId()).isEmpty();
          continue;
        }
        assertThat(told)
            .as(endpoint.operationId())
            .containsExactly(
                new TreeMap<>(
                    Map.of(
                        "who",
                        "key " + role,
                        "tenant",
                        ApiRig.TENANT,
                        "role",
                        role.word(),
                        "action",
                        endpoint.operationId(),
                        "target",
                        path,
                        "status",
                        Integer.toString(reply[0].status()),
                        "request",
                        reply[0].headers().get("x-request-id"))));
      }
    }
  }

  @Test
  void theHolderOfATokenIsToldWithTheIdThatTheCallerGave() {
    String token = issuer.token(TokenIssuer.claims("ann \"x\"", ApiRig.TENANT, Role.ADMIN));
    String path = ApiRig.COLONY + "/agents/" + rig.agent().name() + "/stop";
    List<Map<String, String>> told =
        told(() ->
            assertThat(
                    ApiClient.of(api)
                        .key(token)
                        .send("POST", path, "", Map.of("X-Request-Id", "req-7"))
                        .is(202)
                        .headers())
                .containsEntry("x-request-id", "req-7"));
    assertThat(told)
        .singleElement()
        .satisfies(line ->
            assertThat(line)
                .containsEntry("who", "token ann 'x'")
                .containsEntry("action", "stopAgent")
                .containsEntry("target", path)
                .containsEntry("status", "202")
                .containsEntry("request", "req-7"));
    assertThat(lines.list).noneMatch(line -> line.toString().contains(token));
  }

  @Test
  void aToolOfMcpThatChangesSomethingIsToldByItsName() {
    ApiClient client = ApiClient.of(api).key(ApiRig.key(Role.OPERATOR));
    String call =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
            + "{\"name\":\"%s\",\"arguments\":%s}}";
    Map<String, String> accept = Map.of("Accept", "application/json, text/event-stream");
    String mcp = ApiRig.COLONY + "/mcp";
    String agent = rig.agent().name();
    assertThat(
            told(() ->
                client
                    .send(
                        "POST",
                        mcp,
                        call.formatted(
                            "signal_agent",
                            "{\"agent\":\"%s\",\"signal\":\"go\"}".formatted(agent)),
                        accept)
                    .is(200)))
        .extracting(line -> line.get("action"))
        .containsExactly("mcp signal_agent");
    assertThat(
            told(() ->
                client.send("POST", mcp, call.formatted("list_agents", "{}"), accept).is(200)))
        .isEmpty();
    assertThat(
            told(() ->
                client
                    .send(
                        "POST",
                        mcp,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                            + "{\"requestId\":\"c7\"}}",
                        accept)
                    .is(202)))
        .extracting(line -> line.get("action"))
        .containsExactly("mcp notifications/cancelled");
  }

  @Test
  void changedKeysAreToldByTheirNames() {
    List<Map<String, String>> told =
        told(() -> {
          int before = lines.list.size();
          ApiRig.keysOnly(
              folder,
              List.of(
                  AccessKey.of(new Principal(Role.ADMIN.name(), ApiRig.TENANT, Role.VIEWER), "new"),
                  AccessKey.of(new Principal("ci", ApiRig.TENANT, Role.OPERATOR), "key-of-ci")));
          await().until(() -> lines.list.size() > before);
        });
    assertThat(told)
        .containsExactly(
            new TreeMap<>(
                Map.of(
                    "action",
                    "changeKeys",
                    "added",
                    "ci",
                    "removed",
                    "OPERATOR, VIEWER",
                    "changed",
                    "ADMIN")));
  }
}
