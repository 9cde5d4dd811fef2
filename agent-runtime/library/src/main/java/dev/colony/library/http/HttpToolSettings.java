package dev.colony.library.http;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;
import java.util.Set;

/**
 * The settings under {@code colony.agent.http}; reference.conf says what each means.
 *
 * @param privateHosts at addresses of this machine or its network that agents may reach
 * @param secrets that blueprints' headers may name, as {@code env:NAME} and {@code file:PATH}
 * @param maxCalls requests under way at a time
 * @param maxResponseBytes of one answer, whatever a blueprint says
 * @param maxRedirects that are followed when reading
 * @param connectTimeout how long a connection may take to be made
 * @param keepSent how long it is known what was sent and what was answered
 */
public record HttpToolSettings(
    Set<String> privateHosts,
    Set<String> secrets,
    int maxCalls,
    int maxResponseBytes,
    int maxRedirects,
    Duration connectTimeout,
    Duration keepSent) {

  /** The defaults of {@code reference.conf}. */
  public static final HttpToolSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(HttpToolSettings.class.getClassLoader()));

  public HttpToolSettings {
    privateHosts = Set.copyOf(privateHosts);
    secrets = Set.copyOf(secrets);
  }

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static HttpToolSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.agent.http");
    return new HttpToolSettings(
        Set.copyOf(read.config().getStringList("private-hosts")),
        Set.copyOf(read.config().getStringList("secrets")),
        read.integer("max-calls", 1, 10_000),
        read.bytes("max-response", 1_024, 1 << 28),
        read.integer("max-redirects", 0, 20),
        read.duration("connect-timeout", Duration.ofMillis(50), Duration.ofMinutes(5)),
        read.duration("keep-sent", Duration.ofMinutes(1), Duration.ofDays(365)));
  }

  /** Whether agents may reach a host though its address is of this machine or its network. */
  boolean mayReachPrivate(String host) {
    return privateHosts.contains("*") || privateHosts.contains(host);
  }
}
