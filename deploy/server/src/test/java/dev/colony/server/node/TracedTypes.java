package dev.colony.server.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ModelCall;
import dev.colony.agent.RunOptions;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Agents of which one thinks, has children work, fails at something, and asks a person. */
public final class TracedTypes implements TypeProvider {

  static final int CHILDREN = 8;

  static final AgentBlueprint PARENT = blueprint("traced.parent");

  private static final AgentBlueprint CHILD = blueprint("traced.child");

  private static AgentBlueprint blueprint(String policy) {
    return AgentBlueprint.of(Blueprint.of(policy))
        .capability(CapabilityBlueprint.of(Blueprint.of("traced.hands")).key("hands"));
  }

  @Override
  public void register(Types types) {
    types.add(Parent.class);
    types.add(Child.class);
    types.add(Caller.class);
    types.add(Hands.class);
  }

  private static Decision act(String what) {
    return new Decision.Act(
        Action.of(what, "hands." + what, JsonNodeFactory.instance.objectNode()));
  }

  private static Decision done() {
    return Decision.Complete.with(JsonNodeFactory.instance.nullNode());
  }

  private static ModelCall question() {
    return new ModelCall("You answer.", List.of(), "What is a bow?", Optional.empty(), 20);
  }

  @Registered("traced.parent")
  public static class Parent extends BaseActionPolicy {

    public Parent(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return switch (state.history().size()) {
        case 0 -> {
          agent().inference().infer("think", question());
          yield act("delegate");
        }
        case 1 -> act("stumble");
        case 2 -> act("ask");
        default -> done();
      };
    }
  }

  @Registered("traced.child")
  public static class Child extends BaseActionPolicy {

    public Child(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return state.history().size() == 0 ? act("look") : done();
    }
  }

  /** Uses a service over HTTP, then a tool of an MCP server. */
  @Registered("traced.caller")
  public static class Caller extends BaseActionPolicy {

    /**
     * @param service its address
     */
    public record Args(String service) {}

    private final String service;

    public Caller(PolicyContext context, Args args) {
      super(context);
      service = args.service();
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      JsonNodeFactory json = JsonNodeFactory.instance;
      return switch (state.history().size()) {
        case 0 ->
            new Decision.Act(
                Action.of("use", "tool_use", json.objectNode().put("url", service + "/items")));
        case 1 ->
            new Decision.Act(
                Action.of("ask", "mcp.ask_teller", json.objectNode().put("input", "go")));
        default ->
            state.history().stream().allMatch(call -> call.result().success())
                ? done()
                : Decision.Fail.because(state.history().toString());
      };
    }
  }

  @Registered("traced.hands")
  public static class Hands extends AgentCapability {

    public Hands(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    public void delegate() {
      agent()
          .children()
          .gather(
              "c", CHILD, Collections.nCopies(CHILDREN, "look"), RunOptions.namespace("traced"));
    }

    @ActionExecutor
    public void look() {
      agent().inference().infer("look", question());
    }

    @ActionExecutor
    public void stumble() {
      throw AgentException.refused("a stone");
    }

    @ActionExecutor(approval = true)
    public void ask() {}
  }
}
