package dev.colony.server.http;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** All endpoints. Immutable. */
record EndpointTable(List<Endpoint> endpoints) {

  private static final String HEAD = "HEAD";
  private static final String OPTIONS = "OPTIONS";

  EndpointTable {
    endpoints =
        endpoints.stream()
            .sorted(Comparator.comparing((Endpoint one) -> one.path().fixed()).reversed())
            .toList();
  }

  /** What a method and a path are. */
  sealed interface Found {

    /**
     * @param headOnly whether the answer's body is not asked for
     */
    record Matched(Endpoint endpoint, Map<String, String> names, boolean headOnly)
        implements Found {}

    /** It asks which methods the path takes: these. */
    record Options(Set<String> allowed) implements Found {}

    /** The path takes these methods only. */
    record OtherMethod(Set<String> allowed) implements Found {}

    record Nothing() implements Found {}
  }

  /**
   * Looks one up. Each path that takes GET takes HEAD too, and each path OPTIONS (RFC 9110, 9.3.2
   * and 9.3.7).
   *
   * @param segments decoded
   */
  Found find(String method, List<String> segments) {
    String verb = method.equals(HEAD) ? Endpoint.Verb.GET.name() : method;
    Set<String> allowed = new TreeSet<>();
    for (Endpoint endpoint : endpoints) {
      var names = endpoint.path().match(segments);
      if (names.isPresent()) {
        if (endpoint.verb().name().equals(verb)) {
          return new Found.Matched(endpoint, names.get(), method.equals(HEAD));
        }
        allowed.add(endpoint.verb().name());
      }
    }
    if (allowed.isEmpty()) {
      return new Found.Nothing();
    }
    allowed.add(OPTIONS);
    if (allowed.contains(Endpoint.Verb.GET.name())) {
      allowed.add(HEAD);
    }
    return method.equals(OPTIONS) ? new Found.Options(allowed) : new Found.OtherMethod(allowed);
  }
}
