package dev.colony.agent.lifecycle;

/** Something that happens to an agent. */
sealed interface Deed {

  /** The work under way goes on, by a number of moments. */
  record Work(int moments) implements Deed {}

  /** Somebody asks for a run; of one number there is one run. */
  record Accept(int number) implements Deed {}

  /** Somebody cancels one, which need not be there. */
  record Cancel(int number) implements Deed {}

  /** A signal, which need not fit. */
  record Command(LifecycleCommand command) implements Deed {}

  /** Time passes. */
  record Pass(int seconds) implements Deed {}

  /** Somebody writes to the blackboard what wakes the agent. */
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
