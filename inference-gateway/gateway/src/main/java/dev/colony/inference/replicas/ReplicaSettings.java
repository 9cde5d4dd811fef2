package dev.colony.inference.replicas;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValueFactory;
import com.typesafe.config.ConfigValueType;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Settings;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Settings of the replicas: where they come from and what they are asked. */
public record ReplicaSettings(
    List<String> servers,
    Optional<String> dns,
    Optional<String> kubernetes,
    String checkPath,
    KvEventPorts kvEvents,
    Eviction eviction) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.replicas";

  /** Where servers publish the events of their caches, each 0 for nowhere. */
  public record KvEventPorts(
      @Range(min = "0", max = "65535") int port, @Range(min = "0", max = "65535") int replayPort) {}

  /** How replicas' caches are told what is wanted. */
  public record Eviction(CacheControl control) {}

  /** How they are told. */
  public enum CacheControl {
    /**
     * By hints, where a server says that it takes them; by touches, where it is asked in vLLM's
     * dialect; else not at all.
     */
    AUTO,
    HINTS,
    TOUCHES,
    NONE
  }

  public ReplicaSettings {
    servers = List.copyOf(servers);
    if ((servers.isEmpty() ? 0 : 1) + dns.stream().count() + kubernetes.stream().count() > 1) {
      throw new IllegalArgumentException("of servers, dns and kubernetes only one may be given");
    }
  }

  /** Reads the settings under {@link #PATH}. */
  public static ReplicaSettings fromConfig(Config config) {
    return read(PATH, config.getConfig(PATH));
  }

  /**
   * Reads the settings of a section with the keys of {@link #PATH}. Its servers are a list, or, as
   * the environment has it, a text with commas between them.
   *
   * @param path of the section, for what is said of a bad value
   */
  public static ReplicaSettings read(String path, Config section) {
    Config listed = section;
    if (section.getValue("servers").valueType() == ConfigValueType.STRING) {
      List<String> servers =
          Arrays.stream(section.getString("servers").split(","))
              .map(String::strip)
              .filter(one -> !one.isEmpty())
              .toList();
      listed = section.withValue("servers", ConfigValueFactory.fromIterable(servers));
    }
    ReplicaSettings settings = Settings.of(ReplicaSettings.class, listed, path);
    settings.servers.forEach(one -> address(path + ".servers", one));
    settings.dns.ifPresent(one -> address(path + ".dns", one));
    return settings;
  }

  /** The same for one place, which need not be the address of a server. */
  public ReplicaSettings at(URI place) {
    return new ReplicaSettings(
        List.of(place.toString()),
        Optional.empty(),
        Optional.empty(),
        checkPath,
        new KvEventPorts(0, 0),
        eviction);
  }

  /** Whether it is said where the replicas are. */
  public boolean listed() {
    return !servers.isEmpty() || dns.isPresent() || kubernetes.isPresent();
  }

  /** The servers that are given by their addresses. */
  public List<URI> addresses() {
    return servers.stream().map(URI::create).toList();
  }

  /**
   * Where the replicas are listed; empty where nothing says so, and a node has one of its own.
   *
   * @param inKubernetes makes a source of what the setting {@code kubernetes} says
   */
  public Optional<ReplicaSource> source(Function<String, ReplicaSource> inKubernetes) {
    if (!servers.isEmpty()) {
      return Optional.of(ReplicaSource.of(addresses()));
    }
    return dns.<ReplicaSource>map(name -> new DnsSource(URI.create(name), Optional.empty()))
        .or(() -> kubernetes.map(inKubernetes));
  }

  /** Where a replica publishes its KV events; empty where no setting says so. */
  public Optional<KvEventFeed.Settings> kvEvents(URI replica) {
    return kvEvents.port() == 0
        ? Optional.empty()
        : Optional.of(
            new KvEventFeed.Settings(
                socket(replica, kvEvents.port()),
                kvEvents.replayPort() == 0
                    ? Optional.empty()
                    : Optional.of(socket(replica, kvEvents.replayPort())),
                ""));
  }

  private static URI socket(URI replica, int port) {
    return URI.create("tcp://" + replica.getHost() + ":" + port);
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

  private static ConfigException refused(String path, String text) {
    return new ConfigException.BadValue(
        path, "is " + text + ", but must be http://host:port or https");
  }
}
