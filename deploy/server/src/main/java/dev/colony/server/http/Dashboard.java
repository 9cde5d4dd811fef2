package dev.colony.server.http;

import dev.colony.server.Principal.Role;
import dev.colony.server.http.Endpoint.PathTemplate;
import dev.colony.server.http.Endpoint.Reach;
import dev.colony.server.http.Endpoint.Verb;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;

/**
 * The page for people that every node serves: static files, which every caller may read; what they
 * show they ask the API for, under the caller's key. It loads nothing from elsewhere, and its
 * content security policy (W3C CSP 3) allows nothing else. Immutable.
 */
final class Dashboard {

  /** Where the page is; its files are below. */
  static final String PATH = "/dashboard";

  private static final String FOLDER = "/dev/colony/server/dashboard/";
  private static final String INDEX = "index.html";

  /** What stands in the index for the page of traces. */
  private static final String TRACE_PAGE = "COLONY_TRACE_PAGE";

  private static final List<String> FILES =
      List.of(
          INDEX,
          "agent.js",
          "agents.js",
          "api.js",
          "approvals.js",
          "board.js",
          "dashboard.css",
          "dashboard.js",
          "icon.svg",
          "overview.js",
          "pages.js",
          "parts.js",
          "prompts.js",
          "store.js");

  private static final Map<String, String> MEDIA_TYPES =
      Map.of(
          "css", "text/css",
          "html", "text/html",
          "js", "text/javascript",
          "svg", "image/svg+xml");

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
              + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer");

  private final Map<String, byte[]> files = new TreeMap<>();

  /**
   * @param tracePage the page of a trace, with {@code {trace}} in place of its id; empty for none
   */
  Dashboard(String tracePage) {
    FILES.forEach(file -> files.put(file, bytes(FOLDER + file)));
    String index = new String(files.get(INDEX), StandardCharsets.UTF_8);
    files.put(
        INDEX, index.replace(TRACE_PAGE, attribute(tracePage)).getBytes(StandardCharsets.UTF_8));
    Properties preact = new Properties();
    try (InputStream of = resource("/META-INF/maven/org.webjars.npm/preact/pom.properties")) {
      preact.load(of);
    } catch (IOException failure) {
      throw new UncheckedIOException("the library of the dashboard cannot be read", failure);
    }
    String library = "/META-INF/resources/webjars/preact/%s/dist/preact.module.js";
    files.put("preact.js", bytes(library.formatted(preact.getProperty("version"))));
  }

  /** Whether who asks for a path means the page: the root of the node, or one slash too many. */
  static boolean near(String path) {
    return path.equals("/") || path.equals(PATH + "/");
  }

  /** What serves it: no operations of the API, and not in its document. */
  List<Endpoint> endpoints() {
    return List.of(
        endpoint("getDashboard", PATH, call -> file(INDEX)),
        endpoint("getDashboardFile", PATH + "/{file}", call -> file(call.path("file"))));
  }

  private static Endpoint endpoint(String id, String path, Endpoint.Handler handler) {
    return new Endpoint(
        id, Verb.GET, new PathTemplate(path), Role.VIEWER, Reach.ANYONE, Set.of(), handler);
  }

  private ApiResponse file(String name) {
    byte[] content = files.get(name);
    if (content == null) {
      throw Refusal.of(Code.NOT_FOUND, "the dashboard has no file " + name);
    }
    String type = MEDIA_TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    return new ApiResponse.Asset(type, content, HEADERS);
  }

  private static String attribute(String text) {
    return text.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
  }

  private static byte[] bytes(String path) {
    try (InputStream of = resource(path)) {
      return of.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(path + " cannot be read", failure);
    }
  }

  private static InputStream resource(String path) {
    InputStream of = Dashboard.class.getResourceAsStream(path);
    if (of == null) {
      throw new IllegalStateException("the class path lacks " + path);
    }
    return of;
  }
}
