package dev.colony.deploy.http;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** All endpoints. Immutable. */
record EndpointTable(List<Endpoint> endpoints) {

  EndpointTable {
    endpoints =
        endpoints.stream()
            .sorted(Comparator.comparing((Endpoint one) -> one.path().fixed()).reversed())
            .toList();
  }

  /** What a method and a path are. */
  sealed interface Found {

    record Matched(Endpoint endpoint, Map<String, String> names) implements Found {}

    /** The path takes these methods only. */
    record OtherMethod(Set<String> allowed) implements Found {}

    record Nothing() implements Found {}
  }

  /**
   * Looks one up.
   *
   * @param segments decoded
   */
  Found find(String method, List<String> segments) {
    Set<String> allowed = new TreeSet<>();
    for (Endpoint endpoint : endpoints) {
      var names = endpoint.path().match(segments);
      if (names.isPresent()) {
        if (endpoint.verb().name().equals(method)) {
          return new Found.Matched(endpoint, names.get());
        }
        allowed.add(endpoint.verb().name());
      }
    }
    return allowed.isEmpty() ? new Found.Nothing() : new Found.OtherMethod(allowed);
  }
}
