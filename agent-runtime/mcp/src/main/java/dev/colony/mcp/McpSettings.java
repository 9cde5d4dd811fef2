package dev.colony.mcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import dev.colony.blackboard.settings.SettingsReader;
import dev.colony.core.retry.Backoff;
import dev.colony.mcp.McpServerSpec.Approval;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The settings under {@code colony.mcp}; reference.conf says what each means.
 *
 * @param servers by the names that blueprints use
 */
public record McpSettings(
    Map<String, Server> servers,
    boolean inlineServers,
    int maxConnections,
    int maxCalls,
    Duration keepIdle,
    Duration startTimeout,
    Duration stopTimeout,
    int maxMessageBytes,
    int maxListed,
    Backoff restart) {

  /**
   * A server that blueprints may name.
   *
   * @param tenants whose agents may use it; empty for those of all
   */
  public record Server(McpServerSpec spec, Set<String> tenants) {

    public Server {
      tenants = Set.copyOf(tenants);
    }
  }

  private static final String PATH = "colony.mcp";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final Set<String> KEYS =
      Set.of(
          "command",
          "url",
          "environment",
          "headers",
          "tenants",
          "shared",
          "trust-hints",
          "approval",
          "attempts",
          "timeout");
  private static final Config USUAL =
      ConfigFactory.parseString(
          """
          command = [], url = "", environment {}, headers {}, tenants = [], shared = off
          trust-hints = on, approval = never, attempts = 3, timeout = 1m
          """);

  public McpSettings {
    servers = Map.copyOf(servers);
  }

  /**
   * Reads and checks them.
   *
   * @throws ConfigException naming the path, the value and the range
   */
  public static McpSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, PATH);
    Backoff restart =
        new Backoff(
            read.duration("restart.shortest", Duration.ofMillis(1), Duration.ofHours(1)),
            read.duration("restart.longest", Duration.ofMillis(1), Duration.ofHours(1)));
    if (restart.shortest().compareTo(restart.longest()) > 0) {
      throw new ConfigException.BadValue(
          PATH + ".restart.shortest",
          "is " + restart.shortest() + ", but must be at most longest, " + restart.longest());
    }
    return new McpSettings(
        servers(read.config()),
        read.flag("inline-servers"),
        read.integer("max-connections", 1, 10_000),
        read.integer("max-calls", 1, 1_000),
        read.duration("keep-idle", Duration.ZERO, Duration.ofDays(1)),
        read.duration("start-timeout", Duration.ofMillis(100), Duration.ofMinutes(10)),
        read.duration("stop-timeout", Duration.ZERO, Duration.ofMinutes(1)),
        read.bytes("max-message", 1_024, 1 << 30),
        read.integer("max-listed", 1, 10_000),
        restart);
  }

  private static Map<String, Server> servers(Config own) {
    Map<String, Server> servers = new TreeMap<>();
    own.getObject("servers")
        .forEach((name, value) -> {
          String path = PATH + ".servers." + name;
          if (!NAME.matcher(name).matches() || value.valueType() != ConfigValueType.OBJECT) {
            throw new ConfigException.BadValue(
                path, "but must be a name of A-Z a-z 0-9 _ - and a block");
          }
          servers.put(name, server(path, value.atKey("it").getConfig("it")));
        });
    return servers;
  }

  private static Server server(String path, Config given) {
    for (String key : given.root().keySet()) {
      if (!KEYS.contains(key)) {
        throw new ConfigException.BadValue(
            path + "." + key, "is no setting of an MCP server; there are " + sorted(KEYS));
      }
    }
    SettingsReader read = new SettingsReader(given.withFallback(USUAL), path);
    Config own = read.config();
    try {
      return new Server(
          new McpServerSpec(
              own.getStringList("command"),
              Optional.of(own.getString("url")).filter(url -> !url.isBlank()),
              texts(own, "environment"),
              texts(own, "headers"),
              read.flag("shared"),
              read.flag("trust-hints"),
              approval(own.getString("approval")),
              read.integer("attempts", 1, 10),
              own.getDuration("timeout")),
          new HashSet<>(own.getStringList("tenants")));
    } catch (IllegalArgumentException unfit) {
      throw new ConfigException.BadValue(path, unfit.getMessage());
    }
  }

  private static List<String> sorted(Set<String> keys) {
    return keys.stream().sorted().toList();
  }

  private static Approval approval(String text) {
    try {
      return Approval.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw new IllegalArgumentException(
          "approval is " + text + ", but must be never, destructive or always", unknown);
    }
  }

  private static Map<String, String> texts(Config own, String key) {
    Map<String, String> texts = new TreeMap<>();
    for (Map.Entry<String, ConfigValue> one : own.getConfig(key).entrySet()) {
      texts.put(
          String.join(".", ConfigUtil.splitPath(one.getKey())),
          String.valueOf(one.getValue().unwrapped()));
    }
    return texts;
  }
}
