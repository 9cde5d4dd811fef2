package dev.colony.node.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ModelCall;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.ActionPolicyIO.ActionPolicyOutput;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.library.policy.EventDrivenActionPolicy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * An agent whose run has a step of each kind: two planning calls and an internal action, an
 * external action that may be repeated, one that must not, a wait for an event, and the end.
 * Another has one step that performs three actions at once.
 */
public final class WalkTypes implements TypeProvider {

  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of("faults.walker"))
          .capability(CapabilityBlueprint.of(Blueprint.of("faults.work")).key("work"));

  static final AgentBlueprint JUGGLER =
      AgentBlueprint.of(Blueprint.of("faults.juggler"))
          .capability(CapabilityBlueprint.of(Blueprint.of("faults.work")).key("work"));

  /** An agent that asks the model, and then has something to do with others in that way. */
  static AgentBlueprint teller(Way way) {
    return AgentBlueprint.of(
        new Blueprint(
            "faults.teller", JsonNodeFactory.instance.objectNode().put("way", way.name())));
  }

  @Override
  public void register(Types types) {
    types.add(Teller.class);
    types.add(Walker.class);
    types.add(Juggler.class);
    types.add(Work.class);
  }

  /** Completes with the result of each action, what the model said, and what it heard. */
  @Registered("faults.walker")
  public static class Walker extends EventDrivenActionPolicy {

    public Walker(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      hear(state);
      return switch (state.iterationNum()) {
        case 0 -> {
          said(state, "plan");
          said(state, "check");
          yield act("first", "work.note");
        }
        case 1 -> {
          said(state, "plan");
          yield act("send", "work.send");
        }
        case 2 -> {
          said(state, "plan");
          yield act("pay", "work.pay");
        }
        default -> {
          if (!state.custom().has("heard")) {
            yield new Decision.Idle();
          }
          if (state.result("last").isEmpty()) {
            said(state, "plan");
            yield act("last", "work.note");
          }
          yield Decision.Complete.with(told(state));
        }
      };
    }

    private static Decision act(String id, String key) {
      return new Decision.Act(Action.of(id, key, JsonNodeFactory.instance.objectNode()));
    }

    private void said(ActionPolicyExecutionState state, String name) {
      String text =
          agent()
              .inference()
              .infer(name, new ModelCall("", List.of(), "?", Optional.empty(), 4))
              .text();
      state.custom().withArray("said").add(text);
    }

    private static void hear(ActionPolicyExecutionState state) {
      for (EventBatch batch : state.events()) {
        for (EventBatch.Event event : batch.events()) {
          state.custom().withArray("heard").add(event.value().orElseThrow());
        }
      }
    }

    private static JsonNode told(ActionPolicyExecutionState state) {
      ObjectNode told = JsonNodeFactory.instance.objectNode();
      state
          .history()
          .forEach(call ->
              told.putObject(call.action().actionId())
                  .put("status", call.result().status().name())
                  .set("output", call.result().output()));
      told.set("said", state.custom().get("said"));
      told.set("heard", state.custom().get("heard"));
      return told;
    }
  }

  /** What an agent has to do with others in the midst of a step. */
  enum Way {
    SPAWNS,
    USES_ITS_COLONY,
    TELLS_OF_ITS_RUN,
    WAITS
  }

  /** Completes with what the model said. */
  @Registered("faults.teller")
  public static class Teller extends BaseActionPolicy {

    private final Way way;

    record Told(Way way) {}

    public Teller(PolicyContext context, Told told) {
      super(context);
      this.way = told.way();
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      String text =
          agent()
              .inference()
              .infer("plan", new ModelCall("", List.of(), "?", Optional.empty(), 4))
              .text();
      switch (way) {
        case SPAWNS -> agent().children().spawn("child", BLUEPRINT, OnParentStop.STOP);
        case USES_ITS_COLONY -> agent().colony();
        case TELLS_OF_ITS_RUN -> agent().emit("told", JsonNodeFactory.instance.textNode(text));
        case WAITS -> agent().waiting().close();
      }
      return Decision.Complete.with(JsonNodeFactory.instance.textNode(text));
    }
  }

  /** Performs three actions at once, plans one more by what they came to, and completes. */
  @Registered("faults.juggler")
  public static class Juggler implements ActionPolicy {

    private final PolicyContext context;

    public Juggler(PolicyContext context) {
      this.context = context;
    }

    @Override
    public ActionPolicyIterationResult executeIteration(ActionPolicyExecutionState state) {
      if (state.iterationNum() > 0) {
        return ActionPolicyIterationResult.completed(ActionPolicyOutput.of(Walker.told(state)));
      }
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        Stream.of("think", "send", "pay")
            .map(key -> threads.submit(() -> perform(key, key)))
            .toList()
            .forEach(Juggler::await);
      }
      perform("last", "note");
      return ActionPolicyIterationResult.skipped();
    }

    private void perform(String id, String key) {
      context
          .dispatcher()
          .perform(Action.of(id, "work." + key, JsonNodeFactory.instance.objectNode()));
    }

    private static void await(Future<?> performed) {
      try {
        performed.get();
      } catch (InterruptedException | ExecutionException cutOff) {
        throw new IllegalStateException(cutOff);
      }
    }
  }

  /** Acts upon the world. */
  @Registered("faults.work")
  public static class Work extends AgentCapability {

    public Work(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    public String note(ActionContext context) {
      return act(context);
    }

    @ActionExecutor
    public String think(ActionContext context) {
      agent().inference().infer("ask", new ModelCall("", List.of(), "?", Optional.empty(), 4));
      return act(context);
    }

    @ActionExecutor(effect = Effect.EXTERNAL)
    public String send(ActionContext context) {
      return act(context);
    }

    @ActionExecutor(effect = Effect.EXTERNAL, retryable = false)
    public String pay(ActionContext context) {
      return act(context);
    }

    private String act(ActionContext context) {
      return agent()
          .service(Outside.Door.class)
          .act(context.actionId(), context.idempotencyKey().value());
    }

    @EventHandler(pattern = "word:*")
    public String word(EventBatch.Event event) {
      return event.key();
    }
  }
}
