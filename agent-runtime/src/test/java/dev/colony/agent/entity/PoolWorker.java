package dev.colony.agent.entity;

import dev.colony.agent.RunRequest;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;
import dev.colony.agent.capability.EventHandler;
import dev.colony.blackboard.protocol.WorkAssignmentProtocol;

/** Takes units of work that name its agent and answers each with what it was given. */
@Registered(PoolWorker.TYPE)
final class PoolWorker extends AgentCapability {

  static final String TYPE = "test.pool";

  private static final WorkAssignmentProtocol PROTOCOL = new WorkAssignmentProtocol();

  PoolWorker(CapabilityContext context) {
    super(context);
  }

  @EventHandler(protocol = WorkAssignmentProtocol.class)
  String unit(RunRequest unit) {
    String id = unit.runId().value();
    publish(PROTOCOL.eventKey(id, "begun"), 1).toCompletableFuture().join();
    publish(PROTOCOL.resultKey(id), unit.input()).toCompletableFuture().join();
    return id;
  }
}
