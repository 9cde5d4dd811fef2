package dev.colony.server.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.settings.SettingsReader;
import dev.colony.vcm.table.ReplicaId;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * What a node is told by its configuration; {@code reference.conf} says what each setting does.
 *
 * @param options what it is started with
 * @param joinTimeout how long it may look for the others
 * @param tls where its certificates are; empty for plain TCP
 */
public record NodeSettings(NodeOptions options, Duration joinTimeout, Optional<Path> tls) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.node";

  /** Where those of the HTTP API stand. */
  public static final String API_PATH = "colony.http";

  static final String KUBERNETES_API = "kubernetes-api";

  private static final String CONTACT_POINTS = "config";
  private static final int HIGHEST_PORT = 65_535;
  private static final int MOST_NODES = 1_000;
  private static final Duration SHORTEST_JOIN = Duration.ofSeconds(1);
  private static final Duration LONGEST_JOIN = Duration.ofDays(1);
  private static final Set<String> WEB = Set.of("http", "https");

  /**
   * Reads the settings under {@link #PATH} and where the API listens.
   *
   * @param file which the configuration was read from
   * @throws ConfigException naming the setting, its value and what is allowed
   */
  public static NodeSettings fromConfig(Config config, Optional<Path> file) {
    SettingsReader node = SettingsReader.of(config, PATH);
    Config own = node.config();
    String host = parsed(own, "host", NodeSettings::notBlank);
    Listening remoting =
        new Listening(
            new HostPort(host, node.integer("port", 1, HIGHEST_PORT)),
            stated(own, "bind-host").orElse(host));
    NodeOptions options =
        new NodeOptions(
            parsed(own, "name", text -> new ReplicaId(text).value()),
            remoting,
            joining(node, remoting),
            node.integer("cluster-size", 1, MOST_NODES),
            api(config),
            parsed(own, "redis-url", NodeSettings::notBlank),
            stated(own, "model-url").map(url -> parsed(own, "model-url", NodeSettings::webAddress)),
            file);
    return new NodeSettings(
        options,
        node.duration("join-timeout", SHORTEST_JOIN, LONGEST_JOIN),
        stated(own, "tls").map(Path::of));
  }

  private static OptionalInt api(Config config) {
    SettingsReader http = SettingsReader.of(config, API_PATH);
    return http.flag("enabled")
        ? OptionalInt.of(http.integer("port", 0, HIGHEST_PORT))
        : OptionalInt.empty();
  }

  private static Joining joining(SettingsReader node, Listening remoting) {
    Config own = node.config();
    String host = stated(own, "management.host").orElse(remoting.address().host());
    Listening management =
        new Listening(
            new HostPort(host, node.integer("management.port", 1, HIGHEST_PORT)),
            stated(own, "management.bind-host").or(() -> stated(own, "bind-host")).orElse(host));
    return switch (own.getString("discovery")) {
      case CONTACT_POINTS ->
          new Joining.ContactPoints(
              management,
              stated(own, "contact-points")
                  .map(points -> parsed(own, "contact-points", NodeSettings::addresses))
                  .orElseGet(() -> List.of(management.address())));
      case KUBERNETES_API -> new Joining.KubernetesApi(management);
      default ->
          throw bad(own, "discovery", "but must be " + CONTACT_POINTS + " or " + KUBERNETES_API);
    };
  }

  private static Optional<String> stated(Config own, String key) {
    return Optional.of(own.getString(key).strip()).filter(text -> !text.isEmpty());
  }

  private static <T> T parsed(Config own, String key, Function<String, T> parser) {
    try {
      return parser.apply(own.getString(key).strip());
    } catch (IllegalArgumentException bad) {
      throw bad(own, key, bad.getMessage());
    }
  }

  private static ConfigException bad(Config own, String key, String why) {
    return new ConfigException.BadValue(
        PATH + "." + key, "is \"%s\", %s".formatted(own.getString(key), why));
  }

  private static String notBlank(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("but must not be empty");
    }
    return text;
  }

  private static List<HostPort> addresses(String text) {
    return Arrays.stream(text.split(",")).map(String::strip).map(HostPort::parse).toList();
  }

  private static URI webAddress(String text) {
    try {
      URI url = new URI(text);
      if (url.getHost() != null && WEB.contains(url.getScheme())) {
        return url;
      }
    } catch (URISyntaxException notOne) {
      // refused below, in the same words
    }
    throw new IllegalArgumentException("but must be an http or https URL");
  }
}
