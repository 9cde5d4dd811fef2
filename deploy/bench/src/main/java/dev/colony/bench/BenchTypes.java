package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.colony.agent.ModelCall;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

public final class BenchTypes implements TypeProvider {

  /** What a sleeper waits for when it has taken its steps. */
  static final String SIGNAL = "go";

  @Override
  public void register(Types types) {
    types.add(Whereabouts.class);
    types.add(Sleeper.class);
    types.add(Diary.class);
    types.add(Conversation.class);
    types.add(Pause.class);
  }

  /** By the clock of this process, in which all nodes are. */
  static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Answers each run at once with the process id of the node that the agent lives on. */
  @Registered(Whereabouts.TYPE)
  static class Whereabouts extends BaseActionPolicy {

    static final String TYPE = "bench.whereabouts";

    Whereabouts(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return Decision.Complete.with(LongNode.valueOf(ProcessHandle.current().pid()));
    }
  }

  /** Takes as many steps as its run's input says, waits, and takes one more that ends the run. */
  @Registered(Sleeper.TYPE)
  static class Sleeper extends BaseActionPolicy {

    static final String TYPE = "bench.sleeper";

    Sleeper(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int steps = state.request().input().path("steps").asInt();
      int step = state.iterationNum();
      if (step < steps) {
        return new Decision.Act(
            Action.of(
                "s" + step,
                Diary.TYPE + ".note",
                JsonNodeFactory.instance.objectNode().put("step", step)));
      }
      return step == steps
          ? Decision.blocked("sleeps", new ResumptionCondition.Custom(SIGNAL))
          : Decision.Complete.with(JsonNodeFactory.instance.numberNode(state.history().size()));
    }
  }

  /** Its one action returns a sentence, so that the history has some size. */
  @Registered(Diary.TYPE)
  static class Diary extends AgentCapability {

    static final String TYPE = "bench.diary";

    Diary(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Notes a step.")
    String note(int step) {
      return "Step " + step + " was taken, and there is nothing more to be said about it.";
    }
  }

  /**
   * Asks a model with all that was said before, pauses, and asks again. Ends with an entry for each
   * turn: when it could begin and when it was answered, in {@link #millis}, and the tokens of its
   * prompt.
   */
  @Registered(Conversation.TYPE)
  static class Conversation extends BaseActionPolicy {

    static final String TYPE = "bench.conversation";
    private static final int REPLY_TOKENS = 24;

    Conversation(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      JsonNode input = state.request().input();
      int turn = state.history().size();
      long from =
          turn == 0
              ? input.path("from").asLong()
              : state.history().getLast().result().output().asLong();
      InferenceReply reply = agent().inference().infer("turn", prompt(input, turn));
      JsonNode now =
          JsonNodeFactory.instance
              .objectNode()
              .put("from", from)
              .put("to", millis())
              .put("prompt", reply.usage().promptTokens())
              .put("cached", reply.usage().cachedTokens());
      JsonNode pauses = input.path("pauses");
      return turn == pauses.size()
          ? Decision.Complete.with(all(state.history(), now))
          : new Decision.Act(
              Action.of(
                  "p" + turn,
                  Pause.ACTION,
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("millis", pauses.get(turn).asInt())
                      .set("turn", now)));
    }

    private static ArrayNode all(List<ActionCall> before, JsonNode last) {
      ArrayNode all = JsonNodeFactory.instance.arrayNode();
      before.forEach(call -> all.add(call.action().params().path("turn")));
      return all.add(last);
    }

    private static ModelCall prompt(JsonNode input, int turn) {
      Random own = new Random(input.path("text").asLong());
      List<ChatMessage> messages = new ArrayList<>();
      int shared = input.path("sharedTokens").asInt();
      messages.add(new ChatMessage.User(words(own, input.path("startTokens").asInt() - shared)));
      for (int i = 0; i < turn; i++) {
        messages.add(new ChatMessage.Assistant("What does the next part say?", List.of()));
        messages.add(new ChatMessage.User(words(own, input.path("turnTokens").asInt())));
      }
      return new ModelCall(
          words(new Random(0), shared),
          List.of(),
          messages,
          ReplyForm.text(REPLY_TOKENS),
          Sampling.GREEDY,
          Optional.empty());
    }

    /** So many tokens, about: each of these words is one. */
    static String words(Random random, int count) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < count; i++) {
        text.append(i == 0 ? "" : " ").append(WORDS.get(random.nextInt(WORDS.size())));
      }
      return text.toString();
    }

    private static final List<String> WORDS =
        List.of(
            ("time year people way day man thing woman life child world school state "
                    + "family student group country problem hand part place case week company "
                    + "system program question work number night point home water room mother "
                    + "area money story")
                .split(" "));
  }

  /** Takes a time in which no model is called, as a tool or a person does. */
  @Registered(Pause.TYPE)
  static class Pause extends AgentCapability {

    static final String TYPE = "bench.pause";
    static final String ACTION = TYPE + ".pause";

    Pause(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Pauses; returns when it has ended, in milliseconds of this process.")
    CompletionStage<Long> pause(int millis, JsonNode turn) {
      return CompletableFuture.supplyAsync(
          BenchTypes::millis, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
    }
  }
}
