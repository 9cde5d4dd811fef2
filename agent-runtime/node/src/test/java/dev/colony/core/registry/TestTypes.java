package dev.colony.core.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.library.policy.PolicyTypes;
import java.util.List;

/** Types for tests of the registry. */
final class TestTypes implements TypeProvider {

  static final AgentTypes ALL = AgentTypes.of(List.of(new TestTypes(), new PolicyTypes()));

  @Registered("test.idle")
  static final class Idle extends BaseActionPolicy {

    Idle(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return new Decision.Idle();
    }
  }

  @Registered("test.plain")
  static final class Plain extends AgentCapability {

    Plain(CapabilityContext context) {
      super(context);
    }
  }

  /** Asks for something that only some nodes give. */
  @Registered("test.demanding")
  static final class Demanding extends AgentCapability {

    Demanding(CapabilityContext context, Runnable wanted) {
      super(context);
      wanted.run();
    }
  }

  @Registered("test.refusing")
  static final class Refusing extends AgentCapability {

    Refusing(CapabilityContext context) {
      super(context);
      throw new IllegalStateException("not today");
    }
  }

  @Registered(value = "test.renewed", version = 2)
  static final class Renewed extends AgentCapability {

    record Args(String name) {}

    Renewed(CapabilityContext context, Args args) {
      super(context);
    }
  }

  @Registered("test.unwritable")
  static final class Unwritable extends AgentCapability {

    record Args(Runnable code) {}

    Unwritable(CapabilityContext context, Args args) {
      super(context);
    }
  }

  @Registered("test.forgetful")
  static final class Forgetful extends AgentCapability {

    /** A record that is another one when it is read again. */
    record Args(int times) {
      Args {
        times++;
      }
    }

    Forgetful(CapabilityContext context, Args args) {
      super(context);
    }
  }

  @Override
  public void register(Types types) {
    types.add(Counted.class, TestTypes::upcast);
    types.add(Idle.class);
    types.add(Plain.class);
    types.add(Demanding.class);
    types.add(Refusing.class);
    types.add(Renewed.class);
    types.add(Unwritable.class);
    types.add(Forgetful.class);
  }

  /** Version 1 called the rule set {@code rules}; version 2 had neither limits nor a start. */
  private static JsonNode upcast(int version, JsonNode args) {
    ObjectNode next = (ObjectNode) args;
    switch (version) {
      case 1 -> next.set("ruleset", next.remove("rules"));
      case 2 -> {
        next.put("maxFindings", 10);
        next.put("since", 0);
        next.putObject("weights");
        next.putArray("tags");
        next.putArray("filters");
      }
      default -> throw new IllegalArgumentException("never heard of");
    }
    return next;
  }
}
