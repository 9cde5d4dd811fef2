package dev.colony.inference.replicas;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueType;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

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
    Duration kvReplayTimeout,
    EvictionSettings eviction) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.replicas";

  public ReplicaSettings {
    servers = List.copyOf(servers);
  }

  /** Reads the settings under {@link #PATH}. */
  public static ReplicaSettings fromConfig(Config config) {
    return read(PATH, config.getConfig(PATH));
  }

  /**
   * Reads the settings of a section with the keys of {@link #PATH}.
   *
   * @param path of the section, for what is said of a bad value
   */
  public static ReplicaSettings read(String path, Config c) {
    Duration least = Duration.ofMillis(10);
    Duration most = Duration.ofHours(1);
    ReplicaSettings settings =
        new ReplicaSettings(
            servers(c).map(one -> address(path + ".servers", one)).toList(),
            given(c, "dns").map(one -> address(path + ".dns", one)),
            given(c, "dns-server"),
            given(c, "kubernetes"),
            within(path + ".refresh", c.getDuration("refresh"), least, most),
            within(path + ".check-interval", c.getDuration("check-interval"), least, most),
            within(path + ".check-timeout", c.getDuration("check-timeout"), least, most),
            c.getString("check-path"),
            health(path, c),
            within(path + ".metrics-interval", c.getDuration("metrics-interval"), least, most),
            c.getString("metrics-path"),
            within(path + ".max-metrics-bytes", c.getInt("max-metrics-bytes"), 1024, 1 << 28),
            within(path + ".kv-events.port", c.getInt("kv-events.port"), 0, 65535),
            within(path + ".kv-events.replay-port", c.getInt("kv-events.replay-port"), 0, 65535),
            c.getString("kv-events.topic"),
            within(path + ".kv-events.high-water", c.getInt("kv-events.high-water"), 1, 10_000_000),
            within(
                path + ".kv-events.replay-timeout",
                c.getDuration("kv-events.replay-timeout"),
                least,
                Duration.ofMinutes(1)),
            EvictionSettings.read(path + ".eviction", c.getConfig("eviction")));
    if (settings.sources() > 1) {
      throw new IllegalArgumentException(
          path + ": of servers, dns and kubernetes only one may be given");
    }
    return settings;
  }

  /** A list, or, as the environment has it, a text with commas between servers. */
  private static Stream<String> servers(Config c) {
    return c.getValue("servers").valueType() == ConfigValueType.STRING
        ? Arrays.stream(c.getString("servers").split(","))
            .map(String::strip)
            .filter(one -> !one.isEmpty())
        : c.getStringList("servers").stream();
  }

  /** The same for one place, which need not be the address of a server. */
  public ReplicaSettings at(URI place) {
    return new ReplicaSettings(
        List.of(place),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        refresh,
        checkInterval,
        checkTimeout,
        checkPath,
        health,
        metricsInterval,
        metricsPath,
        maxMetricsBytes,
        0,
        0,
        kvTopic,
        kvHighWater,
        kvReplayTimeout,
        eviction);
  }

  private static ReplicaHealth.Settings health(String path, Config c) {
    Duration least = Duration.ofMillis(1);
    Duration most = Duration.ofHours(1);
    return new ReplicaHealth.Settings(
        within(path + ".failed-checks", c.getInt("failed-checks"), 1, 1000),
        within(path + ".passed-checks", c.getInt("passed-checks"), 1, 1000),
        within(path + ".slow-start", c.getDuration("slow-start"), Duration.ZERO, most),
        new CircuitBreaker.Settings(
            within(path + ".breaker.failures", c.getInt("breaker.failures"), 1, 100_000),
            within(path + ".breaker.open", c.getDuration("breaker.open"), least, most),
            within(
                path + ".breaker.open-max",
                c.getDuration("breaker.open-max"),
                c.getDuration("breaker.open"),
                Duration.ofDays(1)),
            within(path + ".breaker.trials", c.getInt("breaker.trials"), 1, 1000)));
  }

  /** In how many ways it is said where the replicas are. */
  private long sources() {
    return (servers.isEmpty() ? 0 : 1) + dns.stream().count() + kubernetes.stream().count();
  }

  /** Whether it is said where the replicas are. */
  public boolean listed() {
    return sources() > 0;
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

  /**
   * The address of a server.
   *
   * @param path of the setting, for what is said of a bad one
   */
  public static URI address(String path, String text) {
    URI uri;
    try {
      uri = URI.create(text);
    } catch (IllegalArgumentException bad) {
      throw refused(path, text);
    }
    boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!http || uri.getRawAuthority() == null) {
      throw refused(path, text);
    }
    return uri;
  }

  private static IllegalArgumentException refused(String path, String text) {
    return new IllegalArgumentException(
        path + " = " + text + " is no address, allowed is http://host:port or https");
  }
}
