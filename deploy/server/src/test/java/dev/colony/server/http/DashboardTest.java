package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.server.Principal.Role;
import dev.colony.server.TracingSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page for people: what a browser is sent, and what it may do with it. */
class DashboardTest {

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path folder;

  private static ApiRig rig;
  private static HttpApi api;

  @BeforeAll
  static void start() {
    rig = new ApiRig();
    api = rig.start(ApiRig.keys(folder, List.of()), Map.of());
  }

  @AfterAll
  static void end() {
    api.close();
    rig.close();
  }

  @Test
  void whoeverAsksGetsThePageAndNothingOfWhatItShows() throws Exception {
    HttpResponse<String> page = get("/dashboard");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(header(page, "content-type")).isEqualTo("text/html; charset=UTF-8");
    assertThat(get("/v1/tenants/acme/agents").statusCode()).isEqualTo(401);
  }

  @Test
  void aBrowserMayLoadNothingFromElsewhereAndShowItInNoOtherPage() throws Exception {
    for (String path : List.of("/dashboard", "/dashboard/dashboard.js", "/dashboard/icon.svg")) {
      HttpResponse<String> file = get(path);
      assertThat(header(file, "content-security-policy"))
          .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
          .doesNotContain("unsafe", "http");
      assertThat(header(file, "x-content-type-options")).isEqualTo("nosniff");
    }
  }

  @Test
  void itIsToldTheRoleOfItsUser() throws Exception {
    for (Role role : Role.values()) {
      HttpRequest asked =
          HttpRequest.newBuilder(URI.create(api.uri() + "/v1/tenants/acme/agents"))
              .header("Authorization", "Bearer " + ApiRig.key(role))
              .build();
      assertThat(header(HTTP.send(asked, BodyHandlers.ofString()), "colony-role"))
          .isEqualTo(role.word());
    }
    assertThat(header(get("/dashboard"), "colony-role")).isEmpty();
  }

  @Test
  void thePageOfATraceIsKnownWhereASettingNamesIt() throws Exception {
    assertThat(get("/dashboard").body()).contains("<meta name=\"colony-trace-page\" content=\"\">");
    assertThat(new TracingSettings("", "https://traces/{trace}?a").page()).contains("{trace}");
    assertThatThrownBy(() -> new TracingSettings("", "javascript:{trace}"))
        .hasMessageContaining("colony.tracing.page");
  }

  @Test
  void everyFileThatAnotherNamesIsThere() throws Exception {
    List<String> found =
        Pattern.compile("(?:href|src)=\"([^\"#]+)\"")
            .matcher(get("/dashboard").body())
            .results()
            .map(MatchResult::group)
            .map(named -> named.substring(named.indexOf('"') + 1, named.length() - 1))
            .toList();
    assertThat(found).hasSize(3).allMatch(file -> file.startsWith("dashboard/"));
    for (String file : found) {
      assertThat(get("/" + file).statusCode()).as(file).isEqualTo(200);
    }
    followImports("dashboard.js", new TreeSet<>());
  }

  private void followImports(String file, Set<String> seen) throws Exception {
    if (!seen.add(file)) {
      return;
    }
    HttpResponse<String> script = get("/dashboard/" + file);
    assertThat(script.statusCode()).as(file).isEqualTo(200);
    assertThat(header(script, "content-type")).isEqualTo("text/javascript; charset=UTF-8");
    for (MatchResult one :
        Pattern.compile("from \"\\./([^\"]+)\"").matcher(script.body()).results().toList()) {
      followImports(one.group(1), seen);
    }
  }

  @Test
  void theRootOfANodeAndASlashTooManyLeadToIt() throws Exception {
    for (String path : List.of("/", "/dashboard/")) {
      HttpResponse<String> answer = get(path);
      assertThat(answer.statusCode()).isEqualTo(302);
      assertThat(header(answer, "location")).isEqualTo("/dashboard");
    }
  }

  @Test
  void whatItDoesNotHaveIsRefusedAndLeadsNowhereElse() throws Exception {
    assertThat(get("/dashboard/none.js").statusCode()).isEqualTo(404);
    assertThat(get("/dashboard/..%2Fhttp%2Fopenapi.yaml").statusCode()).isEqualTo(404);
    assertThat(get("/dashboard?x=1").statusCode()).isEqualTo(400);
  }

  private HttpResponse<String> get(String path) throws Exception {
    URI uri = URI.create(api.uri() + path);
    return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private static String header(HttpResponse<?> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }
}
