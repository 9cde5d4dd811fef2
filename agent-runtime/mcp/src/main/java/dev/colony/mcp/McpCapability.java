package dev.colony.mcp;

import dev.colony.agent.AgentId;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.ActionSource;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Registered;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The tools, resources and prompts of one MCP server as actions of an agent. The blueprint says
 * which server; the connection is the node's ({@link McpServers}), opened before the first
 * iteration that needs it. While the server is away, the agent works without it: the actions that
 * it had fail, and the capability's summary says why.
 */
@Registered(value = "mcp", summary = "Tools, resources and prompts of an MCP server.")
public final class McpCapability extends AgentCapability implements ActionSource {

  /**
   * Which server, and what of it.
   *
   * @param server one of the node's settings, {@code colony.mcp.servers}; empty where {@code
   *     inline} is given
   * @param inline a server of the blueprint's own, which only nodes take that say so
   * @param allow the actions that the agent gets, by their names without the prefix, in which a
   *     star stands for any text; empty for all
   * @param prefix stands before the names of actions, with a dot; empty for the capability's key
   */
  public record Args(
      Optional<String> server,
      Optional<McpServerSpec> inline,
      List<String> allow,
      Optional<String> prefix) {

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final int MOST_PATTERNS = 256;

    public Args {
      allow = List.copyOf(allow);
      if (server.isPresent() == inline.isPresent()) {
        throw new IllegalArgumentException("name a server or bring one inline");
      }
      if (allow.size() > MOST_PATTERNS) {
        throw new IllegalArgumentException("at most " + MOST_PATTERNS + " patterns are allowed");
      }
      prefix.ifPresent(text -> {
        if (!PREFIX.matcher(text).matches()) {
          throw new IllegalArgumentException("a prefix is 1 to 64 of A-Z a-z 0-9 _ -");
        }
      });
    }

    /** All of a server of the node's settings. */
    public static Args server(String name) {
      return new Args(Optional.of(name), Optional.empty(), List.of(), Optional.empty());
    }

    /** All of a server that the blueprint brings. */
    public static Args inline(McpServerSpec spec) {
      return new Args(Optional.empty(), Optional.of(spec), List.of(), Optional.empty());
    }

    /** The same with these actions only. */
    public Args allow(String... patterns) {
      return new Args(server, inline, List.of(patterns), prefix);
    }

    /** The same with another prefix. */
    public Args prefix(String text) {
      return new Args(server, inline, allow, Optional.of(text));
    }
  }

  private final McpServers.Lease lease;
  private final McpActions actions;

  public McpCapability(CapabilityContext context, Args args) {
    super(context);
    McpServers servers = context.owner().service(McpServers.class);
    AgentId agent = context.owner().id();
    lease =
        args.inline()
            .map(spec -> servers.inline(agent, capabilityKey(), spec))
            .orElseGet(() -> servers.named(agent, args.server().orElseThrow()));
    actions = new McpActions(capabilityKey(), args, lease);
  }

  @Override
  public ActionProvider actions() {
    return actions;
  }

  @Override
  protected void closed() {
    lease.release();
  }
}
