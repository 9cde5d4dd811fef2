package dev.colony.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.TraceParent;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionProvider;
import dev.colony.agent.author.ActionProvider.ActionSource;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.Text;
import dev.colony.mcp.McpConnection.LostException;
import dev.colony.mcp.ServerAction.Allowed;
import dev.colony.mcp.ServerAction.Target;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.ListResourcesResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
   * @param server one of the node's settings, {@code colony.mcp.servers}
   * @param allow the actions that the agent gets, by their names without the prefix, in which a
   *     star stands for any text; empty for all
   * @param prefix stands before the names of actions, with a dot; empty for the capability's key
   */
  public record Args(String server, List<String> allow, Optional<String> prefix) {

    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_-]{1,64}");
    private static final int MOST_PATTERNS = 256;

    public Args {
      allow = List.copyOf(allow);
      allow.forEach(KeyGlob::new);
      if (allow.size() > MOST_PATTERNS) {
        throw new IllegalArgumentException("at most " + MOST_PATTERNS + " patterns are allowed");
      }
      prefix.ifPresent(text -> {
        if (!PREFIX.matcher(text).matches()) {
          throw new IllegalArgumentException("a prefix is 1 to 64 of A-Z a-z 0-9 _ -");
        }
      });
    }

    /** All of a server. */
    public static Args server(String name) {
      return new Args(name, List.of(), Optional.empty());
    }

    /** The same with these actions only. */
    public Args allow(String... patterns) {
      return new Args(server, List.of(patterns), prefix);
    }

    public Args prefix(String text) {
      return new Args(server, allow, Optional.of(text));
    }
  }

  private final McpServers.Lease lease;
  private final McpActions actions;

  public McpCapability(CapabilityContext context, Args args) {
    super(context);
    lease = context.owner().service(McpServers.class).named(context.owner().id(), args.server());
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

  /**
   * The actions of one agent on one server. As long as the server is away they are those that it
   * had; executing them says why they fail.
   */
  static final class McpActions implements ActionProvider {

    private static final Logger LOG = LoggerFactory.getLogger(McpActions.class);
    private static final int MAX_INSTRUCTIONS = 1_000;

    private final String capability;
    private final String prefix;
    private final Allowed allowed;
    private final McpServers.Lease lease;

    private Optional<McpConnection.Listed> read = Optional.empty();
    private volatile Map<String, ServerAction> known = Map.of();
    private volatile String summary = "";
    private volatile Optional<String> away = Optional.empty();

    McpActions(String capability, McpCapability.Args args, McpServers.Lease lease) {
      this.capability = capability;
      this.prefix = args.prefix().orElse(capability);
      this.allowed = new Allowed(args.allow());
      this.lease = lease;
    }

    @Override
    public String name() {
      return capability;
    }

    @Override
    public String summary() {
      return away.map(why -> summary.isBlank() ? why : why + ". " + summary).orElse(summary);
    }

    @Override
    public boolean changing() {
      return true;
    }

    /**
     * {@inheritDoc}
     *
     * @throws CancellationException if the thread is interrupted
     */
    @Override
    public synchronized List<ActionDescription> actions() {
      try {
        McpConnection.Listed listed = lease.connection().listed();
        if (away.isPresent()) {
          away = Optional.empty();
          LOG.info("the MCP server {} is available again", lease.name());
        }
        if (read.filter(before -> before == listed).isEmpty()) {
          known =
              ServerAction.of(
                  listed,
                  capability,
                  prefix,
                  lease.spec(),
                  allowed,
                  left -> LOG.warn("{} of the MCP server {} is left out", left, lease.name()));
          summary = Text.line(listed.instructions(), MAX_INSTRUCTIONS);
          read = Optional.of(listed);
        }
      } catch (AgentException failure) {
        if (away.isEmpty()) {
          LOG.warn("{}; agents go on without it", failure.getMessage());
        }
        away = Optional.of(failure.getMessage());
      } catch (InterruptedException stopped) {
        throw cancelled();
      }
      return known.values().stream().map(ServerAction::description).toList();
    }

    @Override
    public int attempts(String key) {
      return lease.spec().attempts();
    }

    @Override
    public Object execute(String key, ObjectNode params, ActionContext context) {
      ServerAction action = known.get(key);
      if (action == null) {
        throw AgentException.refused("the MCP server " + lease.name() + " has no such action now");
      }
      try {
        try {
          return asked(action, params, context);
        } catch (LostException lost) {
          if (!lost.sessionOver()) {
            throw lost;
          }
          // Servers end sessions when they start again, and those that were idle for long.
          return asked(action, params, context);
        }
      } catch (LostException lost) {
        return lost(action, context.actionId(), lost);
      } catch (InterruptedException stopped) {
        throw cancelled();
      }
    }

    private Object asked(ServerAction action, ObjectNode params, ActionContext context)
        throws InterruptedException, LostException {
      McpConnection connection = lease.connection();
      return switch (action.target()) {
        case Target.CallTool tool -> called(connection, tool.name(), params, context);
        case Target.GetPrompt prompt ->
            ServerOutput.of(connection.prompt(prompt.name(), ProtocolJson.map(params)));
        case Target.ReadResource read ->
            ServerOutput.of(connection.resource(params.path("uri").asText()));
        case Target.ListResources list -> listed(connection, params);
      };
    }

    private static Object listed(McpConnection connection, ObjectNode params)
        throws InterruptedException, LostException {
      Optional<String> cursor =
          Optional.of(params.path("cursor").asText()).filter(text -> !text.isEmpty());
      ListResourcesResult page = connection.resources(cursor);
      return ServerOutput.of(page, cursor.isEmpty() ? connection.templates() : Optional.empty());
    }

    private static Object called(
        McpConnection connection, String tool, ObjectNode params, ActionContext context)
        throws InterruptedException, LostException {
      CallToolResult result =
          connection.call(
              tool,
              ProtocolJson.map(params),
              context
                  .agent()
                  .context()
                  .traceparent()
                  .<Map<String, Object>>map(span -> Map.of(TraceParent.HEADER, span.toString()))
                  .orElse(Map.of()),
              said -> progress(context, said));
      return ServerOutput.failed(result)
          ? ActionResult.failed(context.actionId(), ServerOutput.error(result))
          : ServerOutput.of(result);
    }

    /** Off the connection's thread, since it blocks until the event is stored. */
    private static void progress(ActionContext context, JSONRPCNotification said) {
      if (said.params() instanceof Map<?, ?> params
          && params.get("progress") instanceof Number done
          && params.get("total") instanceof Number total
          && total.doubleValue() > 0) {
        String message = params.get("message") instanceof String text ? text : "";
        Thread.ofVirtual()
            .name("mcp-progress")
            .start(() -> {
              try {
                context.progress(
                    Math.clamp(done.doubleValue() / total.doubleValue(), 0, 1),
                    Text.wellFormed(message));
              } catch (RuntimeException late) {
                LOG.debug("a progress was not published", late);
              }
            });
      }
    }

    /** What may be repeated is; of anything else it is not known whether it took effect. */
    private ActionResult lost(ServerAction action, String actionId, LostException lost) {
      String why = "the MCP server " + lease.name() + " was lost: " + lost.getMessage();
      if (action.description().retryable() || !lost.sent()) {
        throw new AgentException(why, lost, true);
      }
      return ActionResult.unsuccessful(
          actionId, Status.INTERRUPTED, why + "; whether the action took effect is not known");
    }

    private static CancellationException cancelled() {
      Thread.currentThread().interrupt();
      return new CancellationException("interrupted while an MCP server was asked");
    }
  }

  public static final class McpTypes implements TypeProvider {

    @Override
    public void register(Types types) {
      types.add(McpCapability.class);
    }
  }
}
