package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Effect;
import dev.colony.agent.blueprint.Registered;
import dev.colony.agent.capability.ActionContext;
import dev.colony.agent.capability.ActionExecutor;
import dev.colony.agent.capability.AgentCapability;
import dev.colony.agent.capability.CapabilityContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Actions of each kind, which a test can hold up. */
@Registered(Workbench.TYPE)
final class Workbench extends AgentCapability {

  static final String TYPE = "test.work";
  static final String INTERNAL = TYPE + ".internal";

  private final TestTypes test;
  private final AtomicInteger done = new AtomicInteger();

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

  @ActionExecutor(effect = Effect.EXTERNAL, retryable = false, approval = true)
  String guarded(ActionContext context) throws InterruptedException {
    return work(context);
  }

  /** Asks the model two things. */
  @ActionExecutor
  String asking(ActionContext context) {
    for (String what : List.of("one", "other")) {
      agent().inference().infer(what, new ModelCall("", List.of(), "?", Optional.empty(), 4));
    }
    return context.actionId();
  }

  /** How many actions it has executed. */
  @Override
  public JsonNode snapshot() {
    return JsonNodeFactory.instance.numberNode(done.get());
  }

  @Override
  public void restore(JsonNode snapshot) {
    test.restored.add(snapshot);
    done.set(snapshot.asInt());
  }

  private String work(ActionContext context) throws InterruptedException {
    test.begun.add(context.idempotencyKey().value());
    test.pass(context.actionId());
    context.emit("worked", JsonNodeFactory.instance.textNode(context.actionId()));
    done.incrementAndGet();
    return context.actionId();
  }
}
