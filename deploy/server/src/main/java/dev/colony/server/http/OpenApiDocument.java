package dev.colony.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.server.Principal;
import dev.colony.server.http.Endpoint.Handler;
import dev.colony.server.http.Endpoint.Handlers;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The OpenAPI document, which every caller may read. It names the address by which the server was
 * asked, the bounds that this node's settings have, and keys where the node has keys.
 */
record OpenApiDocument(HttpSettings.Bounds bounds, Duration longestLock, boolean https) {

  /** What the document says in place of the server's address. */
  private static final String HERE = "/";

  private static final Pattern AUTHORITY = Pattern.compile("[A-Za-z0-9._~:\\[\\]-]{1,300}");

  /** Both forms of the document, as YAML and as JSON. */
  void addTo(Handlers handlers) {
    handlers.on(
        "getOpenApi",
        handler(
            "yaml", "  - url: %s\n", "security:\n  - key: []\n  - apiKey: []\n", "security: []\n"));
    handlers.on(
        "getOpenApiJson",
        handler(
            "json",
            "\"url\" : \"%s\"",
            "\"security\" : [ {\n    \"key\" : [ ]\n  }, {\n    \"apiKey\" : [ ]\n  } ]",
            "\"security\" : [ ]"));
  }

  /**
   * @param server how the document names the server
   * @param keys how it says that requests need a key
   * @param noKeys how it says that they need none
   */
  private Handler handler(String subtype, String server, String keys, String noKeys) {
    String document = bounded(text(subtype));
    return call -> {
      boolean open = call.principal().equals(Principal.LOCAL);
      String shown = open ? document.replace(keys, noKeys) : document;
      return new ApiResponse.Document(
          subtype, shown.replace(server.formatted(HERE), server.formatted(address(call))));
    };
  }

  private String bounded(String document) {
    String paged = bound(document, "limit", "maximum", bounds.page());
    String held = bound(paged, "wait", "maximum", bounds.held().toSeconds());
    long lock = Math.max(1, longestLock.toSeconds());
    String locked = bound(held, "seconds", "maximum", lock);
    return bound(locked, "OpenAiExtension", "maxItems", bounds.pages());
  }

  /** The text of either form, with another number at the first such keyword behind the name. */
  private static String bound(String document, String name, String keyword, long value) {
    Matcher place =
        Pattern.compile("\\b%s\"? ?:[\\s\\S]*?\\b%s\"? ?: (\\d+)".formatted(name, keyword))
            .matcher(document);
    if (!place.find()) {
      throw new IllegalStateException("the document has no %s of %s".formatted(keyword, name));
    }
    return document.substring(0, place.start(1)) + value + document.substring(place.end(1));
  }

  /** The URL by which the client has reached this server, also behind a proxy that forwards it. */
  private String address(Call call) {
    boolean forwarded = call.header("x-forwarded-proto").filter("https"::equals).isPresent();
    String scheme = https || forwarded ? "https" : "http";
    return call.header("host")
        .filter(authority -> AUTHORITY.matcher(authority).matches())
        .map(authority -> scheme + "://" + authority)
        .orElse(HERE);
  }

  /** As it is stored, to be read by this server. */
  static JsonNode json() {
    try {
      return JsonValues.parse(text("json"));
    } catch (JsonProcessingException malformed) {
      throw new IllegalStateException(malformed);
    }
  }

  static String text(String subtype) {
    String name = "openapi." + subtype;
    try (InputStream document = OpenApiDocument.class.getResourceAsStream(name)) {
      return new String(document.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
