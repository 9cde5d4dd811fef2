package dev.colony.library.pool;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.fixture.ClusterNode;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.library.pool.PoolPolicy.PoolTypes;
import dev.colony.library.pool.PoolWorkerCapability.Share;
import dev.colony.node.AgentListener;
import dev.colony.testkit.InstantModel;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;

/** A {@link ClusterNode} whose agents fill orders from a pool. */
final class ShopNode {

  static final Scope POOL = Scope.colony("acme", "shop").namespace("pool");

  /** The world outside: what has been done to it, which no death of a node takes back. */
  static final Scope OUTSIDE = Scope.colony("acme", "shop").namespace("outside");

  /** An effect, once for each item. */
  static final String PAID = "paid:";

  /** How often it was asked for: an entry for each key of the runtime, its version counts. */
  static final String ASKED = "asked:";

  private ShopNode() {}

  public static void main(String[] args) {
    ClusterNode.start(
        args,
        "",
        node -> node,
        new InstantModel(),
        types -> {
          new PoolTypes().register(types);
          types.add(Clerk.class);
          types.add(Till.class);
        },
        AgentListener.NONE,
        Map.of());
  }

  /** A clerk that works for the pool. */
  static AgentBlueprint clerk() {
    return AgentBlueprint.of(Blueprint.of(Clerk.TYPE), Blueprint.of(Till.TYPE))
        .capability(PoolWorkerCapability.of(POOL, Share.ONE).key("work"));
  }

  /** Looks, pays, looks again, and completes with what it was asked for. */
  @Registered(Clerk.TYPE)
  static final class Clerk extends BaseActionPolicy {

    static final String TYPE = "shop.clerk";

    Clerk(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int step = state.iterationNum();
      return step == 3
          ? Decision.Complete.with(state.request().input())
          : new Decision.Act(
              Action.of(
                  "a" + step,
                  step == 1 ? "till.pay" : "till.look",
                  JsonNodeFactory.instance.objectNode()));
    }
  }

  /** Acts on the world under the key of the item, as a payment service takes it. */
  @Registered(Till.TYPE)
  static final class Till extends AgentCapability {

    static final String TYPE = "till";

    Till(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    long look() {
      return Await.result(agent().blackboard(OUTSIDE).statistics()).entries();
    }

    @ActionExecutor(effect = Effect.EXTERNAL)
    String pay(ActionContext context) {
      String item =
          agent()
              .capability(PoolWorkerCapability.class)
              .flatMap(pool -> pool.itemId(context.request()))
              .orElseThrow();
      Blackboard outside = agent().blackboard(OUTSIDE);
      UUID key =
          UUID.nameUUIDFromBytes(
              (agent().id() + context.idempotencyKey().value()).getBytes(StandardCharsets.UTF_8));
      Await.result(outside.write(Write.value(ASKED + item + ":" + key, 1)));
      Await.result(outside.write(Write.value(PAID + item, agent().id().name()).ifAbsent()));
      return item;
    }
  }
}
