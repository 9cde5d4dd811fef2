package dev.colony.mcp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.core.registry.Secrets;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The settings under {@code colony.mcp}; reference.conf says what each means.
 *
 * @param servers by the names that blueprints use
 * @param maxMessage bytes
 */
@Section("colony.mcp")
public record McpSettings(
    Map<String, Server> servers,
    @Range(min = "1", max = "10000") int maxConnections,
    @Range(min = "0 s", max = "1 d") Duration keepIdle,
    @Range(min = "100 ms", max = "10 m") Duration startTimeout,
    @Range(min = "1 KiB", max = "1 GiB") int maxMessage) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  /** What the block of a server leaves out. */
  private static final Config USUAL =
      ConfigFactory.parseString(
          """
          colony.mcp.servers-default {
            command = [], url = "", environment {}, headers {}, tenants = [], shared = off
            trust-hints = on, approval = never, attempts = 3, timeout = 1m
          }
          """);

  /**
   * A server that blueprints may name. Values of {@code environment} and {@code headers} may hold
   * {@code ${env:NAME}}, an environment variable of the node, and {@code ${file:PATH}}, the content
   * of a file on the node without the line ends behind it: they are put in when a connection is
   * opened and stand nowhere else.
   *
   * @param command starts a child process that speaks the protocol on its standard input and
   *     output; empty for a server that is reached by {@code url}
   * @param url of the streamable HTTP transport
   * @param environment of the child process, besides PATH, HOME, USER, LANG and TMPDIR of the
   *     node's; it inherits nothing else
   * @param headers sent with each HTTP request
   * @param tenants whose agents may use it; empty for those of all
   * @param shared whether the agents of a tenant on a node use one connection; otherwise each agent
   *     has one of its own, since servers may keep state for their client
   * @param trustHints whether what the server says of its tools (read only, idempotent,
   *     destructive) is believed
   * @param approval which tools a person has to approve each time
   * @param attempts how often a call that may be repeated is tried in all
   * @param timeout of one call
   */
  public record Server(
      List<String> command,
      Optional<String> url,
      Map<String, String> environment,
      Map<String, String> headers,
      List<String> tenants,
      boolean shared,
      boolean trustHints,
      Approval approval,
      @Range(min = "1", max = "10") int attempts,
      @Range(min = "200 ms", max = "1 d") Duration timeout) {

    /** Which tools a person has to approve. */
    public enum Approval {
      NEVER,
      /** Those that may destroy something: neither read-only nor said not to be destructive. */
      DESTRUCTIVE,
      ALWAYS
    }

    public Server {
      if (command.isEmpty() == url.isEmpty()) {
        throw new IllegalArgumentException("an MCP server has either a command or a url");
      }
      if (!command.isEmpty() && command.getFirst().isBlank()) {
        throw new IllegalArgumentException("the command of an MCP server is blank");
      }
      url.ifPresent(Server::checkUrl);
      environment.values().forEach(Secrets::check);
      headers.values().forEach(Secrets::check);
    }

    private static void checkUrl(String url) {
      try {
        URI parsed = URI.create(url);
        if (("http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme()))
            && parsed.getHost() != null
            && parsed.getUserInfo() == null) {
          return;
        }
      } catch (IllegalArgumentException notOne) {
        // refused below, in the same words
      }
      throw new IllegalArgumentException(
          "the url of an MCP server must be http or https and hold no password");
    }

    /** How it is reached, without arguments, which might hold what is not for logs. */
    @Override
    public String toString() {
      return url.orElseGet(command::getFirst);
    }
  }

  public McpSettings {
    for (String name : servers.keySet()) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException("a server has a name of A-Z a-z 0-9 _ -, not: " + name);
      }
    }
  }

  /** Reads and checks them, as {@link Settings#read} does. */
  public static McpSettings fromConfig(Config config) {
    return Settings.read(McpSettings.class, config.withFallback(USUAL));
  }
}
