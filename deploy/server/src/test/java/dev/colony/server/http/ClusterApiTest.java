package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.http.ApiClient.Reply;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The cluster and the document of the API over HTTP. */
class ClusterApiTest extends ServedApi {

  @Override
  Map<String, ?> settings() {
    return Map.of();
  }

  @Test
  void theClusterAndTheDocumentAreShown() {
    client.get("/v1/cluster").is(200);
    client.get("/v1/pages").is(200);
    assertThat(client.get("/v1/openapi.yaml").is(200).text()).startsWith("openapi: 3.1.0");
  }

  @Test
  void theDocumentNamesTheAddressByWhichTheServerWasReached() {
    String here = api.uri().toString();
    assertThat(client.get("/v1/openapi.yaml").is(200).text()).contains("\n  - url: " + here + "\n");
    assertThat(server(Map.of())).isEqualTo(here);
    assertThat(server(Map.of("X-Forwarded-Proto", "https")))
        .isEqualTo(here.replace("http:", "https:"));
    assertThat(server(Map.of("X-Forwarded-Proto", "x'y"))).isEqualTo(here);
  }

  private String server(Map<String, String> headers) {
    Reply document = client.send("GET", "/v1/openapi.json", "", headers).is(200);
    return document.json().path("servers").path(0).path("url").asText();
  }
}
