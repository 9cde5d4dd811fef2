package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.Usage;
import dev.colony.server.KeyRing.AccessKey;
import dev.colony.server.Principal;
import dev.colony.server.Principal.Role;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tenants and sessions have spent, over HTTP, on Redis. */
class SpendingApiTest {

  private static final String SPENDING = "/v1/tenants/acme/spending";

  @TempDir private static Path folder;

  private static ApiRig rig;
  private static HttpApi api;
  private static ApiClient client;

  @BeforeAll
  static void start() {
    rig =
        new ApiRig(
            """
            colony.inference.budget.tenants {
              acme { tokens = 10000, cost = "100", session-tokens = 200 }
            }
            """);
    api =
        rig.start(
            ApiRig.keys(
                folder,
                List.of(AccessKey.of(new Principal("free", "free", Role.VIEWER), "key-of-free"))),
            Map.of());
    client = ApiClient.of(api).key(ApiRig.key(Role.VIEWER));
    rig.spend("acme", "lab*1", new Usage(100, 40, 50), new BigDecimal("0.25"));
    rig.spend("acme", "lab*1", new Usage(80, 0, 20, 5), new BigDecimal("9.75"));
    rig.spend("acme", "other", new Usage(1_000, 0, 0), new BigDecimal("60"));
  }

  @AfterAll
  static void end() {
    api.close();
    rig.close();
  }

  @Test
  void aTenantIsToldItsSumItsLimitsWhatRemainsAndWhenTheMonthEnds() {
    JsonNode answer = client.get(SPENDING).is(200).json();
    assertThat(answer.path("tenant").asText()).isEqualTo("acme");
    YearMonth month = YearMonth.parse(answer.path("period").asText());
    assertThat(answer.path("endsAt").asText())
        .isEqualTo(
            month.plusMonths(1).atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant().toString());
    JsonNode all = answer.path("inPeriod");
    assertThat(all.path("spent"))
        .isEqualTo(
            ApiClient.parse(
                """
                {"calls": 3, "cost": "70", "usage": {"promptTokens": 1180, "cachedTokens": 40,
                 "completionTokens": 70, "reasoningTokens": 5}}
                """));
    assertThat(all.path("limit"))
        .isEqualTo(ApiClient.parse("{\"tokens\": 10000, \"cost\": \"100\"}"));
    assertThat(all.path("remaining"))
        .isEqualTo(ApiClient.parse("{\"tokens\": 8750, \"cost\": \"30\"}"));
    assertThat(answer.has("session")).isFalse();
  }

  @Test
  void aSessionIsToldToo() {
    JsonNode session = client.get(SPENDING + "?sessionId=lab*1").is(200).json().path("session");
    assertThat(session.path("spent").path("usage").path("promptTokens").asInt()).isEqualTo(180);
    assertThat(session.path("spent").path("cost").asText()).isEqualTo("10");
    assertThat(session.path("limit")).isEqualTo(ApiClient.parse("{\"tokens\": 200}"));
    // Of a budget that is overrun nothing is left.
    assertThat(session.path("remaining")).isEqualTo(ApiClient.parse("{\"tokens\": 0}"));
    assertThat(
            client
                .get(SPENDING + "?sessionId=unknown")
                .is(200)
                .json()
                .path("session")
                .path("spent")
                .path("calls")
                .asInt(-1))
        .isZero();
  }

  @Test
  void aTenantWithoutSpendingHasSpentNothingAndOneWithoutBudgetHasNoLimit() {
    JsonNode all =
        ApiClient.of(api)
            .key("key-of-free")
            .get("/v1/tenants/free/spending")
            .is(200)
            .json()
            .path("inPeriod");
    assertThat(all.path("spent").path("calls").asInt(-1)).isZero();
    assertThat(all.path("spent").path("cost").asText()).isEqualTo("0");
    assertThat(all.path("limit")).isEmpty();
    assertThat(all.path("remaining")).isEmpty();
  }

  @Test
  void whatIsAskedOtherwiseIsRefused() {
    client.get("/v1/tenants/free/spending").problem(403, "forbidden");
    client.get(SPENDING + "?session=lab").problem(400, "bad-request");
    client.get(SPENDING + "?sessionId=a&sessionId=b").problem(400, "bad-request");
  }
}
