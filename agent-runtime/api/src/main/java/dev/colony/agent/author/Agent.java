package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ModelCall;
import dev.colony.agent.client.Children;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Scope;
import dev.colony.inference.InferenceReply;
import dev.colony.vcm.PageStore;
import java.util.List;
import java.util.Optional;

/**
 * An agent, as its own capabilities and its policy see it on the node that owns it. Thread-safe.
 */
public interface Agent {

  AgentId id();

  AgentBlueprint blueprint();

  /** On whose behalf the current iteration runs; of a background process, the agent itself. */
  ExecutionContext context();

  /** Model calls; a join point. */
  Inference inference();

  /** The pages of the virtual context memory. */
  PageStore pages();

  /** The agent's own part of the blackboard. */
  default Blackboard blackboard() {
    return blackboard(id().scope());
  }

  /**
   * A part of the blackboard, written to in the agent's name.
   *
   * @throws AgentException if the scope belongs to another tenant or colony
   */
  Blackboard blackboard(Scope scope);

  /**
   * Lets other agents have this one's place on its node while the caller only waits for something
   * that they do, until it is closed; then the agent is at work again at once, also where the node
   * is full. Not needed for {@link Children#await}, nor for a run that parks. Without it, agents
   * that wait in their steps may hold all places that those need which they wait for.
   */
  default WhileWaiting waiting() {
    return WhileWaiting.NOTHING;
  }

  /**
   * The agent that has spawned this one; empty if none has, or if it goes on without its parent.
   * Reads the directory. Blocks.
   */
  default Optional<AgentId> parent() {
    return Optional.empty();
  }

  /** The agents that this one has spawned, and the way to spawn more. */
  Children children();

  /**
   * Publishes an event to the subscribers of the run that the current iteration is of, at least
   * once: an iteration that is executed again after a crash publishes it again. For policies, event
   * handlers and hooks; an action has {@link ActionContext#emit}. Blocks until it is stored.
   *
   * @param name 1 to 64 characters of {@code [A-Za-z0-9._~-]}
   * @param data at most 32 KiB
   * @throws IllegalArgumentException if it is not so
   * @throws java.util.concurrent.CancellationException if there is no iteration (any more), as in
   *     the background
   */
  default void emit(String name, JsonNode data) {
    throw AgentException.refused("this agent publishes no events: " + name);
  }

  /** Other agents. */
  Colony colony();

  HookRegistry hooks();

  /** All capabilities, those that are put away included, in the blueprint's order. */
  List<AgentCapability> capabilities();

  default Optional<AgentCapability> capability(String key) {
    return capabilities().stream().filter(one -> one.capabilityKey().equals(key)).findFirst();
  }

  /** The first capability of a type. */
  default <C extends AgentCapability> Optional<C> capability(Class<C> type) {
    return capabilities().stream().filter(type::isInstance).map(type::cast).findFirst();
  }

  /** The background processes that are running, as the planning prompt names them. */
  List<BackgroundProcess> backgroundProcesses();

  /**
   * Another service of the node.
   *
   * @throws AgentException if this node does not offer it
   */
  <T> T service(Class<T> port);

  /** A process that a capability runs beside the agent's decisions. */
  record BackgroundProcess(String capability, String name, String effect) {}

  /**
   * While it is open, its agent only waits for others, which may have its place on the node; see
   * {@link dev.colony.agent.author.Agent#waiting}.
   */
  @FunctionalInterface
  interface WhileWaiting extends AutoCloseable {

    /** For an agent that has no place. */
    WhileWaiting NOTHING = () -> {};

    /** The agent goes on. To be called once. */
    @Override
    void close();
  }

  /**
   * Model calls of one agent. Thread-safe; a call blocks its (virtual) thread until the reply is
   * there, and is a join point for hooks.
   */
  interface Inference {

    /**
     * Asks the model. While a policy plans, the reply is durable before this returns, and the
     * iteration that is executed again after a crash gets it again without asking. Within an action
     * the reply is part of the action, which is asked for again as a whole.
     *
     * @param name of the call, unique within the iteration, for example {@code plan}
     * @return where the call has a schema, a reply that satisfies it: the gateway asks the model
     *     once more where the first does not
     * @throws AgentException if the model does not answer within the deadline, all attempts
     *     included, or if the run's budget is used up; {@link AgentException#retryable} says
     *     whether the same call may succeed later
     */
    InferenceReply infer(String name, ModelCall call);

    /**
     * Tells how many calls the run is still to make, as far as is known. Advice to the scheduler of
     * agents: of those that wait for a place, the ones that need it least long go first. It holds
     * until the run ends or another number is told, is not durable, and costs nothing.
     *
     * @param calls from 0
     */
    default void expects(int calls) {}
  }
}
