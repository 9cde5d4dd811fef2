package dev.colony.agent.capability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.Agent;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Scope;
import java.util.List;
import java.util.Optional;

/**
 * A part of an agent: what it can do ({@link ActionExecutor} methods), what it reacts to ({@link
 * EventHandler} methods), what it does in the {@link Background}, and what it hooks into ({@link
 * dev.colony.agent.hook.Hook} methods).
 *
 * <p>An implementation has one constructor, which takes a {@link CapabilityContext} and, if the
 * type has arguments, the record of these. It is made on the owning node when the agent has
 * something to do, and thrown away when it has not: what must survive belongs on the blackboard or
 * in {@link #snapshot}.
 */
public abstract class AgentCapability {

  private final CapabilityContext context;

  protected AgentCapability(CapabilityContext context) {
    this.context = context;
  }

  /** Names the capability within its agent. */
  public final String capabilityKey() {
    return context.capabilityKey();
  }

  /** Where the capability's entries and events stand. */
  public final Scope scope() {
    return context.scope();
  }

  /** The capability's part of the blackboard. */
  public final Blackboard blackboard() {
    return context.blackboard();
  }

  /**
   * The agent that it is part of.
   *
   * @throws dev.colony.agent.AgentException if it is detached
   */
  public final Agent agent() {
    return context.owner();
  }

  public final boolean detached() {
    return context.agent().isEmpty();
  }

  /**
   * What is to survive, asked for at the end of each iteration; JSON null for nothing. At most
   * {@code colony.agent.capability.max-snapshot} bytes.
   */
  public JsonNode snapshot() {
    return JsonNodeFactory.instance.nullNode();
  }

  /**
   * What {@code $global.capabilityKey} stands for in an action's parameters; by default the {@link
   * #snapshot}. Called on any thread; must not block.
   */
  public JsonNode readable() {
    return snapshot();
  }

  /** Given the last {@link #snapshot} before anything else is asked of a new instance. */
  public void restore(JsonNode snapshot) {}

  /**
   * Has the {@link EventHandler} methods handle an event; a policy calls it for each event that an
   * iteration is given.
   *
   * @param scope in which it happened; events of other scopes are passed over
   * @return the contexts that the handlers returned, in the order of their classes and names
   * @throws Exception of the first handler that fails
   */
  public final List<EventHandler.Context> handle(Scope scope, EventBatch.Event event)
      throws Exception {
    return scope.equals(scope())
        ? CapabilityType.of(getClass()).handle(this, listener(), own(), event)
        : List.of();
  }

  /**
   * Has those of its {@link EventHandler} methods handle a run that take the agent's {@link
   * RunRequest}s; a policy calls it once, when the run begins. A run of another namespace than the
   * capability's is passed over.
   *
   * @return the contexts that the handlers returned
   * @throws Exception of the first handler that fails
   */
  public final List<EventHandler.Context> handle(RunRequest request) throws Exception {
    return own() && scope().namespace().filter(request.namespace()::equals).isPresent()
        ? CapabilityType.of(getClass()).handle(this, request)
        : List.of();
  }

  private boolean own() {
    return context.agent().filter(agent -> CapabilityType.own(agent.id(), scope())).isPresent();
  }

  /** Under which name protocols address it: the agent's, or for a detached one its own. */
  private String listener() {
    return context.agent().map(agent -> agent.id().name()).orElse(capabilityKey());
  }

  /** What its group of actions is for, for a reader who decides; empty for its type's summary. */
  public Optional<String> summary() {
    return Optional.empty();
  }
}
