package dev.colony.library.capability;

import dev.colony.agent.author.Param;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.registry.Secrets;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A service that an agent may use. Values of {@code headers} may hold {@code ${env:NAME}}, an
 * environment variable of the node, and {@code ${file:PATH}}, the content of a file on the node, if
 * the node lets blueprints name them; they are put in when a request is made and stand nowhere
 * else.
 *
 * @param origin {@code http} or {@code https}, host and perhaps port; a host that begins with
 *     {@code *.} stands for all below it
 * @param paths that may be asked for, in which a star stands for any text; at least one
 * @param methods that may be used, at least one
 * @param headers sent with each request to it, and with no other
 * @param honoursKeys whether it does a request with one {@code Idempotency-Key} once, however often
 *     it comes: only then is a request that changes something sent again after a crash or a lost
 *     answer
 * @param summary what it is for, for a reader who decides
 */
public record HttpService(
    @Param("as in https://api.example.com") String origin,
    List<String> paths,
    Set<Method> methods,
    Map<String, String> headers,
    boolean honoursKeys,
    String summary) {

  /** What is done to a resource. */
  public enum Method {
    GET,
    HEAD,
    POST,
    PUT,
    PATCH,
    DELETE;

    /** Whether it changes nothing, by RFC 9110. */
    boolean safe() {
      return this == GET || this == HEAD;
    }
  }

  private static final Pattern ORIGIN =
      Pattern.compile(
          "https?://(\\*\\.)?(\\[[0-9a-f:.]+\\]|[a-z0-9-]+(\\.[a-z0-9-]+)*)(:\\d{1,5})?");
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}");

  /** Ways of writing a path that servers read as another path than the one that was matched. */
  private static final Pattern AMBIGUOUS =
      Pattern.compile("(?i)(^|/)(\\.|%2e){1,2}(/|;|$)|%2f|%5c|\\\\|//");

  public HttpService {
    paths = List.copyOf(paths);
    methods = Set.copyOf(methods);
    headers = Map.copyOf(headers);
    if (!ORIGIN.matcher(origin).matches()) {
      throw new IllegalArgumentException(
          "an origin is http or https, a host in lower case and perhaps a port, not: " + origin);
    }
    if (paths.isEmpty() || methods.isEmpty()) {
      throw new IllegalArgumentException(origin + " needs paths and methods that are allowed");
    }
    for (String path : paths) {
      if (!path.startsWith("/")) {
        throw new IllegalArgumentException("a path of " + origin + " begins with /, not: " + path);
      }
    }
    headers.forEach((name, value) -> {
      if (!HEADER.matcher(name).matches()) {
        throw new IllegalArgumentException("a header of " + origin + " is not named " + name);
      }
      Secrets.check(value);
    });
  }

  /** A service that is read, at all its paths. */
  public static HttpService reading(String origin, String summary) {
    return new HttpService(origin, List.of("/*"), Set.of(Method.GET), Map.of(), false, summary);
  }

  /** The same at these paths only. */
  public HttpService paths(String... globs) {
    return new HttpService(origin, List.of(globs), methods, headers, honoursKeys, summary);
  }

  /** The same with these methods only. */
  public HttpService methods(Method... allowed) {
    return new HttpService(origin, paths, Set.of(allowed), headers, honoursKeys, summary);
  }

  /**
   * The same with one more header.
   *
   * @param value may hold {@code ${env:NAME}} and {@code ${file:PATH}}
   */
  public HttpService header(String name, String value) {
    Map<String, String> more = new TreeMap<>(headers);
    more.put(name, value);
    return new HttpService(origin, paths, methods, more, honoursKeys, summary);
  }

  /** The same, which does a request with one {@code Idempotency-Key} once. */
  public HttpService honouringKeys() {
    return new HttpService(origin, paths, methods, headers, true, summary);
  }

  /** Whether a request may be made by what this says. */
  boolean allows(Method method, URI url) {
    String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return methods.contains(method)
        && origin(url)
        && !AMBIGUOUS.matcher(path).find()
        && paths.stream().anyMatch(glob -> new KeyGlob(glob).matches(path));
  }

  private boolean origin(URI url) {
    if (url.getHost() == null || url.getUserInfo() != null) {
      return false;
    }
    URI allowed = URI.create(origin.replace("://*.", "://"));
    String host = url.getHost().toLowerCase(Locale.ROOT);
    return allowed.getScheme().equals(url.getScheme())
        && port(allowed) == port(url)
        && (wild() ? host.endsWith("." + allowed.getHost()) : host.equals(allowed.getHost()));
  }

  /** Whether its host stands for several. */
  boolean wild() {
    return origin.contains("://*.");
  }

  private static int port(URI url) {
    return url.getPort() >= 0 ? url.getPort() : url.getScheme().equals("https") ? 443 : 80;
  }
}
