package dev.colony.server.node;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.server.http.HttpSettings;
import dev.colony.server.node.NodeOptions.HostPort;
import dev.colony.server.node.NodeOptions.Joining;
import dev.colony.server.node.NodeOptions.Listening;
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

  public static final String PATH = "colony.node";

  private static final Set<String> WEB = Set.of("http", "https");

  enum Discovery {
    CONFIG,
    KUBERNETES_API
  }

  enum Provider {
    REDIS,
    KUBERNETES
  }

  @Section(PATH)
  record Keys(
      String name,
      String host,
      Optional<String> bindHost,
      @Range(min = "1", max = "65535") int port,
      String redisUrl,
      Optional<String> modelUrl,
      @Range(min = "1", max = "1000") int clusterSize,
      Discovery discovery,
      Optional<String> contactPoints,
      @Range(min = "1s", max = "1d") Duration joinTimeout,
      Lease lease,
      ManagementKeys management,
      Optional<String> tls) {

    record Lease(Provider provider) {}

    record ManagementKeys(
        Optional<String> host,
        Optional<String> bindHost,
        @Range(min = "1", max = "65535") int port) {}
  }

  /**
   * Reads the settings under {@link #PATH} and where the API listens.
   *
   * @param file which the configuration was read from
   * @throws ConfigException naming the setting, its value and what is allowed
   */
  public static NodeSettings fromConfig(Config config, Optional<Path> file) {
    Keys keys = Settings.read(Keys.class, config);
    String host = parsed("host", keys.host(), NodeSettings::notBlank);
    Listening remoting =
        new Listening(new HostPort(host, keys.port()), keys.bindHost().orElse(host));
    HttpSettings http = HttpSettings.fromConfig(config);
    NodeOptions options =
        new NodeOptions(
            parsed("name", keys.name(), text -> new ReplicaId(text).value()),
            remoting,
            joining(keys, remoting),
            keys.clusterSize(),
            http.enabled() ? OptionalInt.of(http.port()) : OptionalInt.empty(),
            parsed("redis-url", keys.redisUrl(), NodeSettings::notBlank),
            keys.modelUrl().map(url -> parsed("model-url", url, NodeSettings::webAddress)),
            file);
    return new NodeSettings(options, keys.joinTimeout(), keys.tls().map(Path::of));
  }

  private static Joining joining(Keys keys, Listening remoting) {
    Keys.ManagementKeys own = keys.management();
    String host = own.host().orElse(remoting.address().host());
    Listening management =
        new Listening(
            new HostPort(host, own.port()), own.bindHost().or(keys::bindHost).orElse(host));
    return switch (keys.discovery()) {
      case CONFIG ->
          new Joining.ContactPoints(
              management,
              keys.contactPoints()
                  .map(points -> parsed("contact-points", points, NodeSettings::addresses))
                  .orElseGet(() -> List.of(management.address())));
      case KUBERNETES_API -> new Joining.KubernetesApi(management);
    };
  }

  private static <T> T parsed(String key, String text, Function<String, T> parser) {
    try {
      return parser.apply(text.strip());
    } catch (IllegalArgumentException bad) {
      throw new ConfigException.BadValue(
          PATH + "." + key, "is \"%s\", %s".formatted(text, bad.getMessage()));
    }
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
