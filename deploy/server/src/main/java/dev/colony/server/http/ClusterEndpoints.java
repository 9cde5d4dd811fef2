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
import java.util.regex.Pattern;

/** The cluster as a whole, and the API itself. */
record ClusterEndpoints(ApiSources sources) {

  /** What the document says in place of the server's address. */
  private static final String HERE = "/";

  private static final Pattern AUTHORITY = Pattern.compile("[A-Za-z0-9._~:\\[\\]-]{1,300}");

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
            call -> ApiResponse.ok(sources.agents().store().view())),
        document("getOpenApi", "yaml", "  - url: %s\n"),
        document("getOpenApiJson", "json", "\"url\" : \"%s\""));
  }

  /**
   * @param server how the document names the server
   */
  private static Endpoint document(String operationId, String subtype, String server) {
    String document = openApi(subtype);
    return new Endpoint(
        operationId,
        Verb.GET,
        new PathTemplate("/v1/openapi." + subtype),
        Role.VIEWER,
        Reach.NO_TENANT,
        Set.of(),
        call ->
            new ApiResponse.Document(
                subtype,
                document.replace(server.formatted(HERE), server.formatted(address(call)))));
  }

  /** The URL by which the client has reached this server, also behind a proxy that forwards it. */
  private static String address(Call call) {
    String scheme = call.header("x-forwarded-proto").filter("https"::equals).orElse("http");
    return call.header("host")
        .filter(authority -> AUTHORITY.matcher(authority).matches())
        .map(authority -> scheme + "://" + authority)
        .orElse(HERE);
  }

  static String openApi(String subtype) {
    String name = "openapi." + subtype;
    try (InputStream document = ClusterEndpoints.class.getResourceAsStream(name)) {
      return new String(document.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
