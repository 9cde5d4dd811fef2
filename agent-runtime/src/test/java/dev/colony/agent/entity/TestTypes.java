package dev.colony.agent.entity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.blueprint.TypeProvider;
import dev.colony.agent.stream.ActionKeySubstringFilter;
import dev.colony.agent.stream.JSONStreamFormatter;
import dev.colony.blackboard.Scope;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the agents of these tests are made of, and a test's hold on them: {@link LocalNode} offers
 * it to them as a service, so that each test has its own.
 */
final class TestTypes implements TypeProvider {

  /** An agent that does what its runs' {@link #input} says. */
  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of(Steps.TYPE), Blueprint.of(Workbench.TYPE));

  /** The idempotency keys of the actions as they begin. */
  final BlockingQueue<String> begun = new LinkedBlockingQueue<>();

  /** How many capabilities of the type {@link Workbench} were made. */
  final AtomicInteger made = new AtomicInteger();

  /** The snapshots that such capabilities were given when they were made. */
  final Queue<JsonNode> restored = new ConcurrentLinkedQueue<>();

  private final ConcurrentMap<String, CountDownLatch> held = new ConcurrentHashMap<>();

  /** The same, handling the writes to {@code alarm:*} of a scope. */
  static AgentBlueprint hearing(Scope scope) {
    return BLUEPRINT.capability(CapabilityBlueprint.of(Blueprint.of(Ears.TYPE)).scope(scope));
  }

  /** An agent that takes events into its runs, and hears alarms in a scope. */
  static AgentBlueprint reactive(Scope scope) {
    return AgentBlueprint.of(Blueprint.of(Reactive.TYPE), Blueprint.of(Workbench.TYPE))
        .capability(CapabilityBlueprint.of(Blueprint.of(Ears.TYPE)).scope(scope));
  }

  /** Holds up the action of this id until it is released, or for ever. */
  CountDownLatch hold(String actionId) {
    return held.computeIfAbsent(actionId, id -> new CountDownLatch(1));
  }

  /** Waits where an action is held up. */
  void pass(String actionId) throws InterruptedException {
    CountDownLatch latch = held.get(actionId);
    if (latch != null) {
      latch.await();
    }
  }

  /** Hangs until all is released, and heeds no interruption. */
  void hang() {
    CountDownLatch latch = hold("hang");
    begun.add("hang");
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignored) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  void releaseAll() {
    held.values().forEach(CountDownLatch::countDown);
    held.clear();
  }

  @Override
  public void register(Types types) {
    types.add(Steps.class);
    types.add(Reactive.class);
    types.add(PlayedPolicy.class);
    types.add(Workbench.class);
    types.add(GuideDesk.class);
    types.add(Ears.class);
    types.add(ManyEars.class);
    types.add(OpenEars.class);
    types.add(PoolWorker.class);
    types.add(ActionKeySubstringFilter.class);
    types.add(JSONStreamFormatter.class);
  }

  /**
   * The input of a run of {@link Steps}.
   *
   * @param kind of its actions: internal, once, retryable, unknown
   */
  static JsonNode input(int steps, String kind) {
    return JsonNodeFactory.instance.objectNode().put("steps", steps).put("kind", kind);
  }
}
