package dev.colony.node;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.AgentHook;
import dev.colony.agent.author.HookRegistry.HookSource;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Agents;
import dev.colony.agent.stream.ConsciousnessStream.ConsciousnessStreamFormatter;
import dev.colony.agent.stream.ConsciousnessStream.StreamFilter;
import dev.colony.agent.stream.StreamEntry;
import java.util.List;

/**
 * What stands in a blueprint for hooks and streams that are code of the program which has defined
 * the agent. Only the node in that program has the code; any other one refuses the agent.
 */
public final class ProgramCode implements TypeProvider {

  private static final String HOOKED = "register a capability with @Hook methods";

  @Override
  public void register(Types types) {
    types.add(Hooks.class);
    types.add(Stream.class);
  }

  /**
   * Refuses hooks that this node was not given.
   *
   * @throws AgentException on one line, if the capability stands for hooks
   */
  public static void check(AgentId agent, CapabilityBlueprint capability) {
    if (capability.what().type().equals(Agents.HOOKS)) {
      throw missing("hooks " + capability.what().args().path("names"), agent, HOOKED);
    }
  }

  /**
   * Refuses a stream that this node was not given.
   *
   * @throws AgentException on one line, if the stream is code
   */
  public static void check(AgentId agent, StreamBlueprint stream) {
    if (stream.formatter().type().equals(Agents.STREAM)) {
      throw missing(
          "stream " + stream.name(), agent, "register its formatter and its filters as types");
    }
  }

  private static AgentException missing(String what, AgentId agent, String otherwise) {
    return AgentException.refused(
        "the %s of %s: code of the program that defined the agent, which does not travel; spawn it"
                .formatted(what, agent)
            + " in that program's Colony.local(), or "
            + otherwise);
  }

  /** The hooks of the program, on the node that was given them. */
  public static final class GivenHooks extends AgentCapability implements HookSource {

    private final List<AgentHook> hooks;

    /**
     * @param given as {@link Agents.Definition#hooks} has them
     */
    public GivenHooks(CapabilityContext context, Object given) {
      super(context);
      this.hooks = ((List<?>) given).stream().map(AgentHook.class::cast).toList();
    }

    @Override
    public List<AgentHook> hooks() {
      return hooks;
    }
  }

  /** The same on any other node. */
  @Registered(value = Agents.HOOKS, summary = "Hooks that are code of the agent's program.")
  static final class Hooks extends AgentCapability {

    record Names(List<String> names) {}

    Hooks(CapabilityContext context, Names names) {
      super(context);
      throw missing("hooks " + names.names(), context.owner().id(), HOOKED);
    }
  }

  /** A part of a stream on a node that was not given the stream. */
  @Registered(value = Agents.STREAM, summary = "A stream that is code of the agent's program.")
  static final class Stream implements ConsciousnessStreamFormatter, StreamFilter {

    @Override
    public String format(List<StreamEntry> entries) {
      throw new IllegalStateException("the stream is code of another program");
    }

    @Override
    public boolean accepts(StreamEntry entry) {
      return false;
    }
  }
}
