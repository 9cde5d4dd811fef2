package dev.colony.node.runtime;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.EventBatch;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.EventHandler;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.blackboard.Scope;
import dev.colony.library.policy.ConversationFormatter;
import dev.colony.library.policy.EventDrivenActionPolicy;
import dev.colony.library.policy.PolicyTypes;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** An agent of three capabilities that answers each message with one action. */
final class IdleTypes implements TypeProvider {

  /** How many capabilities were made. */
  static final AtomicInteger MADE = new AtomicInteger();

  static AgentBlueprint blueprint(Scope shared) {
    return AgentBlueprint.of(
        Blueprint.of("idle.answers"), Blueprint.of("idle.desk"), Blueprint.of("idle.diary"))
        .capability(CapabilityBlueprint.of(Blueprint.of("idle.ears")).scope(shared))
        .stream(
            ConsciousnessStream.bind("conversation", ConversationFormatter.bind())
                .events(EventContextKeyFilter.bind("alarm"))
                .actions(ActionKeySubstringFilter.bind("answer")));
  }

  @Override
  public void register(Types types) {
    new PolicyTypes().register(types);
    types.add(Answers.class);
    types.add(Desk.class);
    types.add(Diary.class);
    types.add(Ears.class);
  }

  /** Answers, then ends the run. */
  @Registered("idle.answers")
  static final class Answers extends EventDrivenActionPolicy {

    Answers(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return state.iterationNum() == 0
          ? new Decision.Act(
              Action.of("answer", "idle.desk.answer", JsonNodeFactory.instance.objectNode()))
          : Decision.Complete.with(JsonNodeFactory.instance.textNode("answered"));
    }
  }

  /** Counts itself. */
  abstract static class Counted extends AgentCapability {

    Counted(CapabilityContext context) {
      super(context);
      MADE.incrementAndGet();
    }
  }

  /** Has the action, and hears what is put on the agent's own desk. */
  @Registered("idle.desk")
  static final class Desk extends Counted {

    Desk(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Answers the caller.")
    String answer() {
      return "Here I am.";
    }

    @EventHandler(pattern = "letter:*", contextKey = "letter")
    String letter(EventBatch.Event event) {
      return event.key();
    }
  }

  /** Hears of two kinds of entries of the agent's own. */
  @Registered("idle.diary")
  static final class Diary extends Counted {

    Diary(CapabilityContext context) {
      super(context);
    }

    @EventHandler(pattern = {"day:*", "night:*"})
    Optional<String> turns(EventBatch.Event event) {
      return Optional.of(event.key());
    }
  }

  /** Hears alarms of a scope that all agents share. */
  @Registered("idle.ears")
  static final class Ears extends Counted {

    Ears(CapabilityContext context) {
      super(context);
    }

    @EventHandler(pattern = "alarm:*", contextKey = "alarm")
    String alarm(EventBatch.Event event) {
      return event.key();
    }
  }
}
