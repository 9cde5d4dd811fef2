package dev.colony.mcp;

import dev.colony.agent.author.Param;
import dev.colony.agent.author.Range;
import dev.colony.core.secret.Secrets;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How one MCP server is reached and used. Values of {@code environment} and {@code headers} may
 * hold {@code ${env:NAME}}, an environment variable of the node, and {@code ${file:PATH}}, the
 * content of a file on the node without the line ends behind it: they are put in when a connection
 * is opened and stand nowhere else.
 *
 * @param command starts a child process that speaks the protocol on its standard input and output;
 *     empty for a server that is reached by {@code url}
 * @param url of the streamable HTTP transport
 * @param environment of the child process, besides PATH, HOME, USER, LANG and TMPDIR of the node's;
 *     it inherits nothing else
 * @param headers sent with each HTTP request
 * @param shared whether the agents of a tenant on a node use one connection; otherwise each agent
 *     has one of its own, since servers may keep state for their client
 * @param trustHints whether what the server says of its tools (read only, idempotent, destructive)
 *     is believed
 * @param approval which tools a person has to approve each time
 * @param attempts how often a call that may be repeated is tried in all
 * @param timeout of one call, 200 ms to 24 h
 */
public record McpServerSpec(
    List<String> command,
    Optional<String> url,
    Map<String, String> environment,
    Map<String, String> headers,
    boolean shared,
    boolean trustHints,
    Approval approval,
    @Range(min = 1, max = 10) int attempts,
    @Param("as in PT1M") Duration timeout) {

  /** Which tools a person has to approve. */
  public enum Approval {
    NEVER,
    /** Those that may destroy something: neither read-only nor said not to be destructive. */
    DESTRUCTIVE,
    ALWAYS
  }

  private static final Duration USUAL_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(200);
  private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);
  private static final int USUAL_ATTEMPTS = 3;
  private static final int MOST_ATTEMPTS = 10;

  public McpServerSpec {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    headers = Map.copyOf(headers);
    if (command.isEmpty() == url.isEmpty()) {
      throw new IllegalArgumentException("an MCP server has either a command or a url");
    }
    if (!command.isEmpty() && command.getFirst().isBlank()) {
      throw new IllegalArgumentException("the command of an MCP server is blank");
    }
    url.ifPresent(McpServerSpec::checkUrl);
    environment.values().forEach(Secrets::check);
    headers.values().forEach(Secrets::check);
    if (attempts < 1 || attempts > MOST_ATTEMPTS) {
      throw new IllegalArgumentException(
          "attempts is " + attempts + ", but must be 1 to " + MOST_ATTEMPTS);
    }
    if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
      throw new IllegalArgumentException(
          "timeout is %s, but must be %s to %s"
              .formatted(timeout, SHORTEST_TIMEOUT, LONGEST_TIMEOUT));
    }
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

  /** A child process of the node. */
  public static McpServerSpec stdio(String... command) {
    return usual(List.of(command), Optional.empty());
  }

  /** A server that is reached over streamable HTTP. */
  public static McpServerSpec http(String url) {
    return usual(List.of(), Optional.of(url));
  }

  private static McpServerSpec usual(List<String> command, Optional<String> url) {
    return new McpServerSpec(
        command,
        url,
        Map.of(),
        Map.of(),
        false,
        true,
        Approval.NEVER,
        USUAL_ATTEMPTS,
        USUAL_TIMEOUT);
  }

  /**
   * The same with one more variable of the child process.
   *
   * @param value may hold {@code ${env:NAME}} and {@code ${file:PATH}}
   */
  public McpServerSpec environment(String name, String value) {
    return new McpServerSpec(
        command,
        url,
        with(environment, name, value),
        headers,
        shared,
        trustHints,
        approval,
        attempts,
        timeout);
  }

  /**
   * The same with one more header.
   *
   * @param value may hold {@code ${env:NAME}} and {@code ${file:PATH}}
   */
  public McpServerSpec header(String name, String value) {
    return new McpServerSpec(
        command,
        url,
        environment,
        with(headers, name, value),
        shared,
        trustHints,
        approval,
        attempts,
        timeout);
  }

  /** The same, shared or not. */
  public McpServerSpec shared(boolean one) {
    return new McpServerSpec(
        command, url, environment, headers, one, trustHints, approval, attempts, timeout);
  }

  /** The same, its hints believed or not. */
  public McpServerSpec trustHints(boolean trusted) {
    return new McpServerSpec(
        command, url, environment, headers, shared, trusted, approval, attempts, timeout);
  }

  /** The same with these tools approved by a person. */
  public McpServerSpec approval(Approval which) {
    return new McpServerSpec(
        command, url, environment, headers, shared, trustHints, which, attempts, timeout);
  }

  /** The same with another bound of attempts. */
  public McpServerSpec attempts(int most) {
    return new McpServerSpec(
        command, url, environment, headers, shared, trustHints, approval, most, timeout);
  }

  /** The same with another timeout of a call. */
  public McpServerSpec timeout(Duration other) {
    return new McpServerSpec(
        command, url, environment, headers, shared, trustHints, approval, attempts, other);
  }

  private static Map<String, String> with(Map<String, String> map, String name, String value) {
    Map<String, String> more = new TreeMap<>(map);
    more.put(name, value);
    return more;
  }

  /** How it is reached, without arguments, which might hold what is not for logs. */
  @Override
  public String toString() {
    return url.orElseGet(command::getFirst);
  }
}
