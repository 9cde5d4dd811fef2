package dev.colony.code;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionContext;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.testkit.FakeModel;
import dev.colony.testkit.TestAgent;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A capability whose actions leave their marks outside the agent. */
public final class Desk implements TypeProvider {

  /** What was done, in the order in which it was. */
  static final class Deeds {

    /** One execution of an action. */
    record Deed(String action, String idempotencyKey, Object what) {}

    private final List<Deed> all = new CopyOnWriteArrayList<>();

    List<Deed> all() {
      return List.copyOf(all);
    }

    List<Deed> all(String action) {
      return all.stream().filter(one -> one.action().equals(action)).toList();
    }

    private int add(String action, ActionContext context, Object what) {
      all.add(new Deed(action, context.idempotencyKey().value(), what));
      return all.size();
    }
  }

  @Override
  public void register(Types types) {
    types.add(Notes.class);
    types.add(OtherParametersTest.Fickle.class);
    types.add(CodeLayersTest.DateLayer.class);
  }

  /** A reply with a cell. */
  static String cell(String source) {
    return "Let me see.\n```js\n" + source + "\n```\n";
  }

  /** An agent that writes code and has the desk. */
  static TestAgent.Builder clerk(
      CodeGenerationActionPolicy.Args args, Sandbox sandbox, FakeModel model, Deeds deeds) {
    return TestAgent.of(
            AgentBlueprint.of(CodeGenerationActionPolicy.class, args)
                .capability(CapabilityBlueprint.of(Notes.class).key("notes")))
        .service(Sandbox.class, sandbox)
        .service(Deeds.class, deeds)
        .model(model);
  }

  @Registered(value = "code-test.notes", summary = "Keeps notes.")
  public static class Notes extends AgentCapability {

    public Notes(CapabilityContext context) {
      super(context);
    }

    private int done(String action, ActionContext context, Object what) {
      return agent().service(Deeds.class).add(action, context, what);
    }

    @ActionExecutor(summary = "Finds the lines about a topic.")
    public List<Map<String, Object>> find(
        @Param("what they are about") String topic, ActionContext context) {
      done("find", context, topic);
      return List.of(
          Map.of("line", topic + " one", "n", 2), Map.of("line", topic + " two", "n", 3));
    }

    @ActionExecutor(summary = "Sends a line to the customer.", effect = Effect.EXTERNAL)
    public String send(String line, ActionContext context) {
      done("send", context, line);
      return "sent " + line;
    }

    @ActionExecutor(summary = "Pays.", effect = Effect.EXTERNAL, retryable = false)
    public String pay(int amount, ActionContext context) {
      done("pay", context, amount);
      return "paid " + amount;
    }

    @ActionExecutor(summary = "Deletes it all.", effect = Effect.EXTERNAL, approval = true)
    public String delete(String what, ActionContext context) {
      done("delete", context, what);
      return "deleted " + what;
    }

    @ActionExecutor(summary = "Weighs.")
    public double weigh(double grams, ActionContext context) {
      done("weigh", context, grams);
      return grams;
    }

    @ActionExecutor(summary = "Gives a long text.")
    public String large(ActionContext context) {
      done("large", context, "");
      return "begin" + "x".repeat(200_000) + "end";
    }
  }
}
