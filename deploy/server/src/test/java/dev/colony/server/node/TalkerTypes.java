package dev.colony.server.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Agents that log wherever code of theirs is called. */
public final class TalkerTypes implements TypeProvider {

  static final String PLANNING = "a talker plans";
  static final String BLOCKING = "a talker acts";
  static final String COMPUTING = "a talker computes";
  static final String BESIDE = "a talker does something beside";

  static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(Blueprint.of("logging.talker"))
          .capability(CapabilityBlueprint.of(Blueprint.of("logging.mouth")).key("mouth"));

  private static final Logger LOG = LoggerFactory.getLogger(TalkerTypes.class);

  @Override
  public void register(Types types) {
    types.add(Talker.class);
    types.add(Mouth.class);
  }

  /** Acts twice, in two ways. */
  @Registered("logging.talker")
  public static class Talker extends BaseActionPolicy {

    public Talker(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      LOG.info(PLANNING);
      return switch (state.history().size()) {
        case 0 -> act("act");
        case 1 -> act("compute");
        default -> Decision.Complete.with(JsonNodeFactory.instance.nullNode());
      };
    }

    private static Decision act(String what) {
      return new Decision.Act(
          Action.of(what, "mouth." + what, JsonNodeFactory.instance.objectNode()));
    }
  }

  /** Says what it is called for. */
  @Registered("logging.mouth")
  public static class Mouth extends AgentCapability {

    public Mouth(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor
    public void act() {
      LOG.info(BLOCKING);
    }

    @ActionExecutor(computing = true)
    public void compute() {
      LOG.info(COMPUTING);
    }

    @Background(effect = "says so", every = "1s")
    public void beside() {
      LOG.info(BESIDE);
    }
  }
}
