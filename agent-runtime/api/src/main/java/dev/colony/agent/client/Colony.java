package dev.colony.agent.client;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.author.Agent;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The way to agents for a process that reaches the blackboard or the HTTP API, in the cluster or
 * outside. Thread-safe. What opens a colony, closes it and {@link #spawn(Agents.Definition)} block;
 * no other call does.
 *
 * <pre>{@code
 * try (Colony colony = Colony.local()) {
 *   AgentHandle agent = colony.spawn(Agents.named("glossary").tools(new Glossary()));
 *   System.out.println(agent.ask("What does 'bow' mean?"));
 * }
 * }</pre>
 */
public interface Colony extends AutoCloseable {

  /**
   * Starts a node in this JVM, as {@link #local(LocalOptions)} does with {@link
   * LocalOptions#USUAL}.
   */
  static Colony local() {
    return local(LocalOptions.USUAL);
  }

  /**
   * Starts a node in this JVM with a Redis server of its own, which is a process beside it. What
   * was accepted goes on after a crash, when the directory is opened again. Takes some seconds.
   * Closing it ends both; a JVM that ends without it ends both, too. Where no model is given and
   * none is found, runs that ask one fail and say where it was looked for.
   *
   * @throws AgentException on one line: the model server that is named does not answer, the
   *     directory is in use by another process, or the class path has no node (the module {@code
   *     agent-node})
   * @throws dev.colony.blackboard.BlackboardException if Redis does not start
   */
  static Colony local(LocalOptions options) {
    return ColonyProvider.first(
        provider -> provider.local(options),
        "no node can run in this JVM: add the module agent-node to the class path");
  }

  /**
   * Connects to a cluster. Closing it ends the connections, not what was asked for.
   *
   * @param url of the cluster's Redis, {@code redis://HOST:PORT}, where the password of a server
   *     that {@code colony up} has started for this user is found by itself; or of its HTTP API,
   *     {@code https://HOST}, with the key of the variable {@code COLONY_KEY}
   * @throws AgentException on one line, if the URL is none of these or the server wants a password
   * @throws dev.colony.blackboard.BlackboardException if no server answers there
   */
  static Colony connect(String url) {
    return ColonyProvider.first(
        provider -> provider.connect(url),
        "no colony is at "
            + url.replaceFirst("//[^/]*@", "//")
            + ": give redis://HOST:PORT of a cluster's Redis, or http(s)://HOST"
            + " of its API, and have the module agent-client on the class path");
  }

  /** Ends what opening it has started; of one that another holds, nothing. */
  @Override
  default void close() {}

  /**
   * An agent by its name.
   *
   * @param name of tenant and colony {@value Agents#USUAL}, or {@code tenant/colony/name}
   * @throws IllegalArgumentException if no agent has such a name
   */
  default AgentHandle agent(String name) {
    return agent(Agents.id(name));
  }

  /**
   * Has an agent be there as it is defined: enters it where there is none, and has one that lives
   * by another blueprint live by this one from its next step on. Repeating it changes nothing.
   *
   * @throws AgentException if an agent of that name cannot live by it
   * @throws dev.colony.blackboard.BlackboardException if it cannot be stored
   */
  default AgentHandle spawn(Agents.Definition definition) {
    AgentBlueprint blueprint = definition.blueprint();
    AgentHandle agent = agent(definition.id());
    Optional<AgentException> standing = Optional.empty();
    try {
      spawn(definition.id(), blueprint).join();
    } catch (CompletionException failed) {
      // It may be there by another blueprint.
      standing = Optional.of(ColonyProvider.refusal(failed));
    }
    try {
      agent.revise(BlueprintChange.to(blueprint), "it is defined so").join();
      return agent;
    } catch (CompletionException failed) {
      throw standing.orElse(ColonyProvider.refusal(failed));
    }
  }

  /** An agent, which need not exist: a run of one that does not fails with saying so. */
  AgentHandle agent(AgentId id);

  /**
   * Enters an agent into the directory and has it started, soon after. It hears of the events that
   * it handles from here on, however long the start takes. Repeating it changes nothing.
   *
   * <p>Fails with {@link AgentException} if the agent exists with another blueprint, or a
   * capability stands in another tenant or colony than the agent, and with {@link
   * dev.colony.blackboard.BlackboardException}.
   */
  CompletableFuture<AgentHandle> spawn(AgentId id, AgentBlueprint blueprint);

  Sessions sessions(String tenant, String colony);

  /** Tenants, colonies and trees of agents that are suspended as a whole. */
  ScopeSuspensions suspensions();

  /**
   * The same, as far as code that runs on behalf of a run may use it: runs that are asked for
   * through it carry on the run's trace and, where they name none, its session; agents and sessions
   * of another tenant or colony are refused with {@link AgentException}, and so are suspensions of
   * whole scopes and spawning, for which there are {@link Agent#children}.
   */
  Colony within(ExecutionContext context);
}
