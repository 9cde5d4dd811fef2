package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.action.Effect;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.ActionContext;
import dev.colony.agent.capability.ActionExecutor;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;

/** Actions of each kind, which a test can hold up. */
@Registered(Workbench.TYPE)
final class Workbench extends AgentCapability {

  static final String TYPE = "test.work";
  static final String INTERNAL = TYPE + ".internal";

  private final TestTypes test;

  Workbench(CapabilityContext context) {
    super(context);
    test = agent().service(TestTypes.class);
    test.made.incrementAndGet();
  }

  @ActionExecutor
  String internal(ActionContext context) throws InterruptedException {
    return work(context);
  }

  @ActionExecutor(effect = Effect.EXTERNAL, retryable = false)
  String once(ActionContext context) throws InterruptedException {
    return work(context);
  }

  @ActionExecutor(effect = Effect.EXTERNAL)
  String retryable(ActionContext context) throws InterruptedException {
    return work(context);
  }

  private String work(ActionContext context) throws InterruptedException {
    test.begun.add(context.idempotencyKey().value());
    test.pass(context.actionId());
    context.emit("worked", JsonNodeFactory.instance.textNode(context.actionId()));
    return context.actionId();
  }
}
