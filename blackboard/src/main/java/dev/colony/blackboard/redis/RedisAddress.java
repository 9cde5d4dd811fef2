package dev.colony.blackboard.redis;

import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where Redis is, from its URL:
 *
 * <ul>
 *   <li>{@code redis://user:password@host:port/database}, one server
 *   <li>{@code redis-sentinel://user:password@host:port,host:port/database#master}, whom the
 *       sentinels name; user and password are the servers', not the sentinels'
 *   <li>{@code redis-cluster://user:password@host:port,host:port}, some servers of a cluster, which
 *       name the others
 * </ul>
 *
 * with {@code rediss} in the place of {@code redis} for TLS. Special characters in user and
 * password are percent-encoded.
 *
 * @param uris one, or some servers of a cluster
 */
record RedisAddress(List<RedisURI> uris, boolean cluster) {

  private static final Set<String> SCHEMES =
      Set.of("redis", "rediss", "redis-sentinel", "rediss-sentinel");
  private static final Set<String> CLUSTER_SCHEMES = Set.of("redis-cluster", "rediss-cluster");

  /**
   * Parses it; what is wrong is told without user and password.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  static RedisAddress parse(String url, RedisSettings settings) {
    int end = url.indexOf("://");
    String scheme = end < 0 ? "" : url.substring(0, end);
    boolean cluster = CLUSTER_SCHEMES.contains(scheme);
    if (!cluster && !SCHEMES.contains(scheme)) {
      throw refused(url);
    }
    try {
      RedisAddress address =
          new RedisAddress(
              cluster
                  ? ofCluster(scheme.replace("-cluster", ""), url.substring(end + 3))
                  : List.of(RedisURI.create(url)),
              cluster);
      address.uris.forEach(uri -> address.apply(uri, settings));
      return address;
    } catch (IllegalArgumentException wrong) {
      // Its message and cause hold the URL with the password.
      throw refused(url);
    }
  }

  private static List<RedisURI> ofCluster(String scheme, String rest) {
    int at = rest.lastIndexOf('@') + 1;
    return Stream.of(rest.substring(at).split(",", -1))
        .map(server -> RedisURI.create(scheme + "://" + rest.substring(0, at) + server))
        .toList();
  }

  /**
   * Takes host and port apart where Java's URI cannot, because the host's name has an underscore.
   *
   * @throws IllegalArgumentException if the port is no number
   */
  private static void divide(RedisURI uri) {
    String host = uri.getHost();
    if (host != null && host.contains(":") && !host.startsWith("[")) {
      int colon = host.lastIndexOf(':');
      uri.setPort(Integer.parseInt(host.substring(colon + 1)));
      uri.setHost(host.substring(0, colon));
    }
  }

  private void apply(RedisURI uri, RedisSettings settings) {
    divide(uri);
    if (cluster && uri.getDatabase() != 0) {
      throw new IllegalArgumentException("a cluster has one database");
    }
    Stream.concat(Stream.of(uri), uri.getSentinels().stream())
        .forEach(each -> {
          each.setTimeout(settings.commandTimeout());
          each.setVerifyPeer(settings.tls().verify().mode());
        });
  }

  boolean tls() {
    return uris.getFirst().isSsl();
  }

  /** Without user and password. */
  String shown() {
    List<RedisURI> sentinels = uris.getFirst().getSentinels();
    if (cluster) {
      return "the cluster of " + servers(uris);
    }
    return sentinels.isEmpty()
        ? servers(uris)
        : "the primary '%s' of the sentinels %s"
            .formatted(uris.getFirst().getSentinelMasterId(), servers(sentinels));
  }

  private static String servers(List<RedisURI> uris) {
    return uris.stream()
        .map(uri -> uri.getHost() + ":" + uri.getPort())
        .collect(Collectors.joining(", "));
  }

  private static IllegalArgumentException refused(String url) {
    int scheme = url.indexOf("://");
    int at = url.lastIndexOf('@');
    String shown =
        at < 0 ? url : (scheme < 0 ? "" : url.substring(0, scheme + 3)) + "..." + url.substring(at);
    return new IllegalArgumentException(
        "'"
            + shown
            + "' is no Redis URL; write redis://host:port,"
            + " redis-sentinel://host:port,host:port#master or redis-cluster://host:port,host:port,"
            + " with rediss for TLS and user:password@ before the first host");
  }
}
