package dev.colony.replica;

import static dev.colony.replica.HttpDriver.json;
import static dev.colony.replica.Prompts.page;
import static dev.colony.replica.Prompts.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResidencyHttpTest {

  private EmbeddedReplica replica;
  private HttpDriver http;

  @BeforeEach
  void start() {
    // Room for two of the pages below, of about 300 tokens each.
    replica =
        Replicas.start("r1", "capacity-blocks = 48", "context-tokens = 700", "poll-hold = 200 ms");
    http = new HttpDriver(replica.uri());
  }

  @AfterEach
  void stop() {
    http.close();
    replica.close();
  }

  @Test
  void pagesComeAndGoWithTheirBlocks() {
    assertThat(ids(residency(""))).isEmpty();
    ask("a");
    ask("b");
    assertThat(ids(residency(""))).containsExactly("a", "b");
    ask("a");
    ask("c");
    assertThat(ids(residency(""))).containsExactly("a", "c");
  }

  @Test
  void theReportNamesReplicaIncarnationVersionAndSizes() {
    ask("a");
    JsonNode report = residency("");
    assertThat(report.path("replica").asText()).isEqualTo("r1");
    assertThat(report.path("incarnation").asText()).isNotBlank();
    assertThat(report.path("version").asLong()).isEqualTo(1);
    assertThat(report.at("/pages/0/tokens").asInt()).isBetween(200, 400);
  }

  @Test
  void aPollWaitsForTheNextChange() {
    JsonNode known = residency("");
    CompletableFuture<HttpResponse<String>> poll =
        http.getAsync("/colony/residency?after=" + known.path("version").asLong());
    ask("a");
    assertThat(ids(json(poll.join()))).containsExactly("a");
  }

  @Test
  void aPollWithoutChangeEndsWithTheSameVersion() {
    ask("a");
    JsonNode report = residency("?after=1");
    assertThat(report.path("version").asLong()).isEqualTo(1);
    assertThat(ids(report)).containsExactly("a");
  }

  @Test
  void aVersionOfAnEarlierLifeIsAnsweredAtOnce() {
    JsonNode report = residency("?after=0&incarnation=another");
    assertThat(report.path("incarnation").asText()).isNotEqualTo("another");
  }

  @Test
  void anUnchangedPromptDoesNotRaiseTheVersion() {
    ask("a");
    ask("a");
    assertThat(residency("").path("version").asLong()).isEqualTo(1);
  }

  @Test
  void aBadVersionIsRefused() {
    assertThat(http.get("/colony/residency?after=x").statusCode()).isEqualTo(400);
  }

  private void ask(String page) {
    HttpResponse<String> response =
        http.chat(
            prompt("Question: what is " + page + "1?", page(page, 40)).toString(),
            "X-Colony-Pages",
            page);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
  }

  private JsonNode residency(String query) {
    return json(http.get("/colony/residency" + query));
  }

  private static List<String> ids(JsonNode report) {
    List<String> ids = new ArrayList<>();
    report.path("pages").forEach(page -> ids.add(page.path("id").asText()));
    return ids;
  }
}
