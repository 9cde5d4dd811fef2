package dev.colony.core.lifecycle;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import java.util.Optional;

/** Something that happens to an agent. */
sealed interface Deed {

  /** The work under way goes on, by a number of moments. */
  record Work(int moments) implements Deed {}

  /** A caller asks for a run; of one number there is one run. */
  record Accept(int number) implements Deed {}

  /** A caller cancels one, which need not be there. */
  record Cancel(int number) implements Deed {}

  /** A signal, which need not fit. */
  record Command(LifecycleCommand command) implements Deed {}

  /** A caller or the runtime suspends it, which need not fit. */
  record Suspend(SuspensionCause cause, Until until) implements Deed {}

  /**
   * The resume service says that a suspension is over, early or late or again.
   *
   * @param back how many suspensions ago it was; 0 for the one that was last
   */
  record Wake(int back) implements Deed {}

  /** A person answers a request that need not be open. */
  record Answer(String request, boolean granted) implements Deed {}

  /** The runtime moves it, which need not fit. */
  record Rehome(int unit) implements Deed {}

  /** A person revises its blueprint: one capability more, or one less where it has that. */
  record Revise(int capability) implements Deed {}

  /** Until when an agent is suspended. */
  enum Until {
    TOLD(null),
    SIGNAL(new ResumptionCondition.Custom("go")),
    ANSWER(new ResumptionCondition.Approved("lead")),
    BOTH(ResumptionCondition.all(SIGNAL.condition, ANSWER.condition)),
    EITHER(ResumptionCondition.any(SIGNAL.condition, ANSWER.condition));

    private final ResumptionCondition condition;

    Until(ResumptionCondition condition) {
      this.condition = condition;
    }

    Optional<ResumptionCondition> condition() {
      return Optional.ofNullable(condition);
    }
  }

  /** Time passes. */
  record Pass(int seconds) implements Deed {}

  /** A writer puts on the blackboard what wakes the agent. */
  record Write(int number) implements Deed {}

  /**
   * The wake that is pending reaches the agent.
   *
   * @param acknowledged whether the inbox hears of it; otherwise it will come again
   */
  record Deliver(boolean acknowledged) implements Deed {}

  /** The node dies, and the agent starts on another. */
  record Crash() implements Deed {}
}
