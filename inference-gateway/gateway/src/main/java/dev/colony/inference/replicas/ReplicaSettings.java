package dev.colony.inference.replicas;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Settings of the replicas: where they come from and how they are judged. */
public record ReplicaSettings(
    List<URI> servers,
    Optional<URI> dns,
    Optional<String> dnsServer,
    Optional<String> kubernetes,
    Duration refresh,
    Duration checkInterval,
    Duration checkTimeout,
    String checkPath,
    ReplicaHealth.Settings health,
    Duration metricsInterval,
    String metricsPath,
    int maxMetricsBytes,
    int kvEventsPort,
    int kvReplayPort,
    String kvTopic,
    int kvHighWater,
    Duration kvReplayTimeout) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.replicas";

  public ReplicaSettings {
    servers = List.copyOf(servers);
    if ((servers.isEmpty() ? 0 : 1) + dns.stream().count() + kubernetes.stream().count() > 1) {
      throw new IllegalArgumentException(
          PATH + ": of servers, dns and kubernetes only one may be given");
    }
    Duration least = Duration.ofMillis(10);
    Duration most = Duration.ofHours(1);
    within(PATH + ".refresh", refresh, least, most);
    within(PATH + ".check-interval", checkInterval, least, most);
    within(PATH + ".check-timeout", checkTimeout, least, most);
    within(PATH + ".metrics-interval", metricsInterval, least, most);
    within(PATH + ".max-metrics-bytes", maxMetricsBytes, 1024, 1 << 28);
    within(PATH + ".kv-events.port", kvEventsPort, 0, 65535);
    within(PATH + ".kv-events.replay-port", kvReplayPort, 0, 65535);
    within(PATH + ".kv-events.high-water", kvHighWater, 1, 10_000_000);
    within(PATH + ".kv-events.replay-timeout", kvReplayTimeout, least, Duration.ofMinutes(1));
  }

  /** Reads the settings under {@link #PATH}. */
  public static ReplicaSettings fromConfig(Config config) {
    Config c = config.getConfig(PATH);
    return new ReplicaSettings(
        c.getStringList("servers").stream().map(one -> address("servers", one)).toList(),
        given(c, "dns").map(one -> address("dns", one)),
        given(c, "dns-server"),
        given(c, "kubernetes"),
        c.getDuration("refresh"),
        c.getDuration("check-interval"),
        c.getDuration("check-timeout"),
        c.getString("check-path"),
        health(c),
        c.getDuration("metrics-interval"),
        c.getString("metrics-path"),
        c.getInt("max-metrics-bytes"),
        c.getInt("kv-events.port"),
        c.getInt("kv-events.replay-port"),
        c.getString("kv-events.topic"),
        c.getInt("kv-events.high-water"),
        c.getDuration("kv-events.replay-timeout"));
  }

  private static ReplicaHealth.Settings health(Config c) {
    Duration least = Duration.ofMillis(1);
    Duration most = Duration.ofHours(1);
    return new ReplicaHealth.Settings(
        within(PATH + ".failed-checks", c.getInt("failed-checks"), 1, 1000),
        within(PATH + ".passed-checks", c.getInt("passed-checks"), 1, 1000),
        within(PATH + ".slow-start", c.getDuration("slow-start"), Duration.ZERO, most),
        new CircuitBreaker.Settings(
            within(PATH + ".breaker.failures", c.getInt("breaker.failures"), 1, 100_000),
            within(PATH + ".breaker.open", c.getDuration("breaker.open"), least, most),
            within(
                PATH + ".breaker.open-max",
                c.getDuration("breaker.open-max"),
                c.getDuration("breaker.open"),
                Duration.ofDays(1)),
            within(PATH + ".breaker.trials", c.getInt("breaker.trials"), 1, 1000)));
  }

  /**
   * Where the replicas are listed; empty where nothing says so, and a node has one of its own.
   *
   * @param inKubernetes makes a source of what the setting {@code kubernetes} says
   */
  public Optional<ReplicaSource> source(Function<String, ReplicaSource> inKubernetes) {
    if (!servers.isEmpty()) {
      return Optional.of(ReplicaSource.of(servers));
    }
    return dns.<ReplicaSource>map(name -> new DnsSource(name, dnsServer))
        .or(() -> kubernetes.map(inKubernetes));
  }

  /** Where a replica publishes its KV events; empty where none does. */
  public Optional<KvEventFeed.Settings> kvEvents(URI replica) {
    return kvEventsPort == 0
        ? Optional.empty()
        : Optional.of(
            new KvEventFeed.Settings(
                socket(replica, kvEventsPort),
                kvReplayPort == 0 ? Optional.empty() : Optional.of(socket(replica, kvReplayPort)),
                kvTopic,
                kvHighWater,
                kvReplayTimeout));
  }

  private static URI socket(URI replica, int port) {
    return URI.create("tcp://" + replica.getHost() + ":" + port);
  }

  private static Optional<String> given(Config c, String key) {
    return Optional.of(c.getString(key)).filter(value -> !value.isBlank());
  }

  private static URI address(String key, String text) {
    URI uri;
    try {
      uri = URI.create(text);
    } catch (IllegalArgumentException bad) {
      throw refused(key, text);
    }
    boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!http || uri.getRawAuthority() == null) {
      throw refused(key, text);
    }
    return uri;
  }

  private static IllegalArgumentException refused(String key, String text) {
    return new IllegalArgumentException(
        PATH + "." + key + " = " + text + " is no address, allowed is http://host:port or https");
  }
}
