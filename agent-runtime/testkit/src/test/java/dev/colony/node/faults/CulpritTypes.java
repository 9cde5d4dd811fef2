package dev.colony.node.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunRequest;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Hook;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.Children.OnParentStop;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.library.policy.EventDrivenActionPolicy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Agents that misbehave, each where and how its run or its blueprint says; and one that does not.
 */
public final class CulpritTypes implements TypeProvider {

  /** Where the runs are asked for, whose requests the capability handles. */
  static final String NAMESPACE = "test";

  static final int MUCH = 50 * 1024 * 1024;

  /** Loops go on until it is set. */
  static final AtomicBoolean ENOUGH = new AtomicBoolean();

  /** Loops that are under way. */
  static final AtomicInteger LOOPING = new AtomicInteger();

  static AgentBlueprint misbehaving(String where, String how) {
    return AgentBlueprint.of(Blueprint.of("faults.culprit"))
        .capability(
            CapabilityBlueprint.of(
                    new Blueprint(
                        "faults.moody",
                        JsonNodeFactory.instance.objectNode().put("where", where).put("how", how)))
                .key("moody")
                .namespace(NAMESPACE));
  }

  static final AgentBlueprint PLAIN = misbehaving("", "");

  @Override
  public void register(Types types) {
    types.add(Culprit.class);
    types.add(Moody.class);
  }

  /** Does in its policy what the input's {@code policy} says, or the action {@code action}. */
  @Registered("faults.culprit")
  public static class Culprit extends EventDrivenActionPolicy {

    public Culprit(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      JsonNode input = state.request().input();
      if (input.has("action")) {
        return state
            .result("a")
            .map(Culprit::told)
            .orElseGet(() ->
                new Decision.Act(
                    Action.of(
                        "a",
                        "moody." + input.path("action").asText(),
                        JsonNodeFactory.instance.objectNode())));
      }
      return switch (input.path("policy").asText()) {
        case "output" -> Decision.Complete.with(much());
        case "custom" -> {
          state.custom().set("much", much());
          yield new Decision.Skip();
        }
        case "custom-external" -> {
          state.custom().set("much", much());
          yield new Decision.Act(
              Action.of("a", "moody.pays", JsonNodeFactory.instance.objectNode()));
        }
        case "prompt" -> {
          agent()
              .inference()
              .infer("plan", new ModelCall("", List.of(), much().asText(), Optional.empty(), 4));
          yield new Decision.Idle();
        }
        case "" -> Decision.Complete.with(TextNode.valueOf("well"));
        default -> {
          misbehave(input.path("policy").asText());
          yield new Decision.Skip();
        }
      };
    }

    private static Decision told(ActionResult result) {
      return Decision.Complete.with(TextNode.valueOf(result.status() + ": " + result.error()));
    }
  }

  static JsonNode much() {
    return TextNode.valueOf("x".repeat(MUCH));
  }

  static void misbehave(String how) {
    switch (how) {
      case "throws" -> throw new IllegalStateException("the disk is full");
      case "asserts" -> throw new AssertionError("this cannot be");
      case "errs" -> throw new Error("an error of its own");
      case "recurses" -> recurse(0);
      case "shouts" -> throw new IllegalStateException("x".repeat(MUCH));
      case "loops" -> loop();
      default -> {}
    }
  }

  private static int recurse(int depth) {
    return depth < 0 ? 0 : recurse(depth + 1) + 1;
  }

  /** Never blocks, heeds nothing. */
  private static void loop() {
    LOOPING.incrementAndGet();
    long sum = 0;
    while (!ENOUGH.get()) {
      sum++;
    }
    LOOPING.addAndGet(sum > 0 ? -1 : 0);
  }

  /** Misbehaves where and how its arguments say, and has actions that do. */
  @Registered("faults.moody")
  public static class Moody extends AgentCapability {

    /**
     * Its mood.
     *
     * @param where constructor, snapshot, restore, hook or handler
     */
    public record Mood(String where, String how) {}

    private final Mood mood;

    public Moody(CapabilityContext context, Mood mood) {
      super(context);
      this.mood = mood;
      at("constructor");
    }

    private void at(String where) {
      if (mood.where().equals(where)) {
        misbehave(mood.how());
      }
    }

    @Override
    public JsonNode snapshot() {
      at("snapshot");
      return mood.where().equals("snapshot") ? much() : super.snapshot();
    }

    @Hook(before = "ActionPolicy.executeIteration")
    public void hook() {
      at("hook");
    }

    @EventHandler(protocol = AgentRunProtocol.class)
    public void handler(RunRequest run) {
      at("handler");
    }

    @ActionExecutor
    public String raises() {
      throw new IllegalStateException("the disk is full");
    }

    @ActionExecutor
    public String errs() {
      throw new Error("an error of its own");
    }

    @ActionExecutor
    public String recurses() {
      return "" + recurse(0);
    }

    @ActionExecutor(timeout = "1s")
    public String blocks() throws InterruptedException {
      TimeUnit.MINUTES.sleep(1);
      return "woke up";
    }

    @ActionExecutor(timeout = "300ms", computing = true)
    public String loops() {
      loop();
      return "ended";
    }

    @ActionExecutor
    public JsonNode returnsMuch() {
      return much();
    }

    @ActionExecutor
    public String emitsMuch(ActionContext context) {
      context.emit("much", much());
      return "emitted";
    }

    @ActionExecutor
    public String publishesMuch() {
      publish("much", much()).toCompletableFuture().join();
      return "published";
    }

    @ActionExecutor(effect = Effect.EXTERNAL, retryable = false)
    public String pays() {
      return "paid";
    }

    @ActionExecutor
    public String spawnsWithoutEnd() {
      for (int i = 0; ; i++) {
        agent().children().spawn(agent().id().name() + "-" + i, PLAIN, OnParentStop.STOP);
      }
    }
  }
}
