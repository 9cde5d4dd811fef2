package dev.colony.node.activation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.HookRegistry;
import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.client.Agents;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.value.Text;
import dev.colony.client.directory.ChildService;
import dev.colony.client.history.AgentHistory.HistoryReader;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.core.capability.AgentHooks;
import dev.colony.core.capability.AgentHooks.CapabilityHooks;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.dispatch.ActionThreads;
import dev.colony.core.dispatch.Backoff;
import dev.colony.core.dispatch.CapabilityDispatcher;
import dev.colony.core.dispatch.LogNames;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.registry.AgentTypes;
import dev.colony.core.registry.BlueprintFile;
import dev.colony.node.AgentListener.StepListener;
import dev.colony.node.GivenTools;
import dev.colony.node.NodePorts;
import dev.colony.node.ProgramCode;
import dev.colony.node.admission.NodeLeases;
import dev.colony.node.resumption.Resumptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes of blueprints what agents work with on this node. Thread-safe. */
public final class ActivationFactory {

  private static final Logger LOG = LoggerFactory.getLogger(ActivationFactory.class);

  private final NodeServices services;
  private final AgentTypes types;

  public ActivationFactory(NodeServices services) {
    this.services = services;
    this.types = services.types();
  }

  /** Makes ready for the steps of an agent of this blueprint; nothing is instantiated. */
  public StepRunner steps(AgentId agent, AgentBlueprint blueprint, StepRunner.StepReports reports) {
    Activation.Holder activations =
        new Activation.Holder(memory -> {
          Activation made = assemble(agent, blueprint, memory);
          reports.learned(made.policy().takesEvents());
          return made;
        });
    return new StepRunner(agent, services, activations, reports);
  }

  /**
   * The writes that an agent handles, by scope, nothing being instantiated; empty if its blueprint
   * cannot be resolved here.
   *
   * @param sharing makes equal sets of patterns one
   */
  public Optional<Map<Scope, Set<KeyGlob>>> patterns(
      AgentId agent, AgentBlueprint blueprint, UnaryOperator<Set<KeyGlob>> sharing) {
    try {
      Map<Scope, Set<KeyGlob>> patterns = new HashMap<>();
      for (CapabilityBlueprint capability : blueprint.capabilities()) {
        Scope scope = capability.scopeFor(agent);
        CapabilityType type = types.capability(capability.what());
        Set<KeyGlob> globs = type.wakePatterns(agent, scope);
        if (!globs.isEmpty()) {
          patterns.computeIfAbsent(scope, any -> new HashSet<>()).addAll(globs);
        }
      }
      patterns.replaceAll((scope, globs) -> sharing.apply(Set.copyOf(globs)));
      return Optional.of(Map.copyOf(patterns));
    } catch (AgentException | IllegalArgumentException unfit) {
      LogNames.of(agent)
          .run(() -> LOG.warn("agent {} cannot be built here: {}", agent, unfit.getMessage()));
      return Optional.empty();
    }
  }

  /**
   * Why this agent cannot work on this node by this blueprint, nothing being instantiated; empty if
   * it can. Types come and go with releases: one may be newer than this node, or too old for it.
   */
  public Optional<String> unfit(AgentId agent, AgentBlueprint blueprint) {
    try {
      blueprint.check(agent);
    } catch (AgentException foreign) {
      return Optional.of(foreign.getMessage());
    }
    try {
      types.check(blueprint);
      blueprint.capabilities().stream()
          .filter(capability -> given(agent, capability).isEmpty())
          .forEach(capability -> {
            ProgramCode.check(agent, capability);
            types.checkMakeable(capability);
          });
      blueprint.streams().stream()
          .filter(stream -> given(agent, stream).isEmpty())
          .forEach(stream -> ProgramCode.check(agent, stream));
      return Optional.empty();
    } catch (AgentException refused) {
      return Optional.of("the agent cannot work on this node: " + refused.getMessage());
    }
  }

  private Optional<Object> given(AgentId agent, CapabilityBlueprint capability) {
    return services.ports().find(GivenTools.class).flatMap(all -> all.of(agent, capability));
  }

  private Optional<ConsciousnessStream> given(AgentId agent, StreamBlueprint stream) {
    return services.ports().find(GivenTools.class).flatMap(all -> all.of(agent, stream));
  }

  /**
   * Builds an agent on trial, with the agents that are blueprints in its arguments: why this node
   * could not build it, and where that is; empty if it could. May block, and leaves nothing behind.
   */
  public Optional<BlueprintFile.Problem> trial(AgentId id, AgentBlueprint blueprint) {
    Assembly assembly = new Assembly(id, blueprint);
    try {
      assembly.build(DurableMemory.EMPTY);
      assembly.checkUsable();
      assembly.at = "";
      types
          .within(blueprint)
          .forEach(child ->
              trial(id, child)
                  .ifPresent(wrong -> {
                    throw AgentException.refused(
                        "of an agent that it may spawn, %s%s"
                            .formatted(
                                wrong.path().isEmpty() ? "" : wrong.path() + ": ",
                                wrong.message()));
                  }));
      return Optional.empty();
    } catch (Throwable unfit) {
      StepRunner.Failures.throwIfOfMachine(unfit);
      return Optional.of(BlueprintFile.Problem.of(assembly.at, Text.message(unfit)));
    } finally {
      assembly.discard();
    }
  }

  /**
   * Makes an agent's activation and starts its background processes.
   *
   * @throws AgentException if its blueprint cannot be resolved here, which is found out before
   *     anything is made, or what it names refuses
   */
  private Activation assemble(AgentId id, AgentBlueprint blueprint, DurableMemory memory) {
    Assembly assembly = new Assembly(id, blueprint);
    try {
      Activation made = assembly.build(memory);
      assembly.background.start(services.threads());
      return made;
    } catch (Throwable unfit) {
      StepRunner.Failures.throwIfOfMachine(unfit);
      assembly.discard();
      String why = unfit.getMessage() == null ? unfit.toString() : unfit.getMessage();
      throw new AgentException("the agent cannot be built: " + why, unfit, false);
    }
  }

  /** The making of one agent, part by part. */
  private final class Assembly {

    private final AgentBlueprint blueprint;
    private final HookRegistry hooks = new AgentHooks();
    private final ActiveAgent agent;
    private final List<AgentCapability> capabilities = new ArrayList<>();
    private ActiveAgent.BackgroundLoops background;

    /** The part that is made, as a path in the blueprint. */
    private String at = "";

    Assembly(AgentId id, AgentBlueprint blueprint) {
      this.blueprint = blueprint;
      this.agent = new ActiveAgent(id, blueprint, services, hooks);
    }

    Activation build(DurableMemory memory) {
      types.check(blueprint);
      for (CapabilityBlueprint capability : blueprint.capabilities()) {
        at = part("capabilities", capabilities.size());
        AgentCapability made = make(agent, capability);
        capabilities.add(made);
        restore(made, memory);
        CapabilityHooks.add(made, hooks);
      }
      at = "";
      background = new ActiveAgent.BackgroundLoops(agent, capabilities);
      agent.equip(capabilities, background.named());
      Activation.Dispatcher dispatcher =
          new Activation.Dispatcher(
              new CapabilityDispatcher(agent, services.actionThreads()),
              agent::step,
              services
                  .ports()
                  .find(NodeLeases.class)
                  .<Activation.ActionWatch>map(leases -> new NextUseWatch(agent.id(), leases))
                  .orElse(Activation.ActionWatch.NONE));
      List<ConsciousnessStream> streams = new ArrayList<>();
      for (StreamBlueprint stream : blueprint.streams()) {
        at = part("streams", streams.size());
        streams.add(given(agent.id(), stream).orElseGet(() -> types.create(stream)));
      }
      at = "policy";
      ActionPolicy policy =
          types.create(
              ActionPolicy.class,
              blueprint.policy(),
              new PolicyContext(agent, dispatcher, List.copyOf(streams), services.policies()));
      return new Activation(agent, policy, dispatcher);
    }

    void checkUsable() {
      for (int i = 0; i < capabilities.size(); i++) {
        at = part("capabilities", i);
        capabilities.get(i).checkUsable();
      }
    }

    void discard() {
      agent.retire();
      capabilities.forEach(AgentCapability::close);
    }

    private static String part(String list, int index) {
      return list + "[" + index + "]";
    }
  }

  private AgentCapability make(ActiveAgent agent, CapabilityBlueprint blueprint) {
    CapabilityContext context =
        new CapabilityContext(
            Optional.of(agent),
            blueprint.capabilityKey(),
            agent.blackboard(blueprint.scopeFor(agent.id())));
    return given(agent.id(), blueprint)
        .map(object ->
            blueprint.what().type().equals(Agents.HOOKS)
                ? new ProgramCode.GivenHooks(context, object)
                : new CapabilityType.Tools(context, object))
        .orElseGet(() -> types.create(AgentCapability.class, blueprint.what(), context));
  }

  private static void restore(AgentCapability capability, DurableMemory memory) {
    JsonNode kept = memory.capabilities().get(capability.capabilityKey());
    if (kept != null) {
      capability.restore(kept);
    }
  }

  /** Has leases know that an agent acts: it calls no model until it has ended, mostly. */
  private record NextUseWatch(AgentId agent, NodeLeases leases) implements Activation.ActionWatch {

    @Override
    public void begins(String action) {
      leases.acts(agent, action);
    }

    @Override
    public void ended(String action, Duration took) {
      leases.acted(action, took);
    }
  }

  /**
   * What the agents of a node are made of and work with; one for each node.
   *
   * @param types policies and capabilities that agents may be made of
   * @param ports what else agents may ask for by its type
   * @param recorder records the runs of sessions
   * @param history what the journal says of agents
   * @param listener is told about steps
   * @param threads runs agents' code, each task on a thread of its own
   * @param maxSnapshotBytes of what one capability keeps
   * @param keepProgress how long what runs make known is kept
   * @param backoff between attempts to reach the blackboard
   */
  public record NodeServices(
      AgentTypes types,
      NodePorts ports,
      ChildService families,
      RunRecorder recorder,
      Resumptions resumptions,
      HistoryReader history,
      StepListener listener,
      Executor threads,
      ActionThreads actionThreads,
      ModelCaller models,
      PolicySettings policies,
      RunLimits limits,
      int maxSnapshotBytes,
      Duration keepProgress,
      Backoff backoff) {}
}
