package dev.colony.client.http;

import dev.colony.agent.AgentId;
import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the API has what belongs to a colony. Every name in a path is of characters that stand for
 * themselves in URLs.
 */
final class AgentUrl {

  private static final String NAME = "([A-Za-z0-9._~-]{1,128})";
  private static final Pattern PATH =
      Pattern.compile("(.*)/v1/tenants/" + NAME + "/colonies/" + NAME + "/agents/" + NAME + "/?");

  private AgentUrl() {}

  static String colony(String tenant, String colony) {
    return "/v1/tenants/" + tenant + "/colonies/" + colony;
  }

  static String agent(AgentId id) {
    return colony(id.tenant(), id.colony()) + "/agents/" + id.name();
  }

  /**
   * The agent that a URL of the API names.
   *
   * @throws IllegalArgumentException if it names none
   */
  static AgentId id(URI agentUrl) {
    Matcher path = matched(agentUrl);
    return new AgentId(path.group(2), path.group(3), path.group(4));
  }

  /**
   * The URL of the colony's API that an agent's URL begins with.
   *
   * @throws IllegalArgumentException if it names no agent
   */
  static URI base(URI agentUrl) {
    return agentUrl.resolve(matched(agentUrl).group(1) + "/");
  }

  private static Matcher matched(URI agentUrl) {
    Matcher path = PATH.matcher(String.valueOf(agentUrl.getPath()));
    if (!path.matches()) {
      throw new IllegalArgumentException(
          "the URL of an agent ends in /v1/tenants/TENANT/colonies/COLONY/agents/AGENT, not: "
              + agentUrl);
    }
    return path;
  }
}
