package dev.colony.core.lifecycle;

import java.util.List;

/** What a policy does, step by step; behind the last step it completes its run. */
record Script(List<Step> steps) {

  /** The action of a step. */
  enum Act {
    NONE,
    INTERNAL,
    RETRYABLE,
    ONCE,
    /** An internal one, one that may be repeated and one that must not, each by itself. */
    SEVERAL
  }

  /** How a step ends. */
  enum End {
    GO_ON,
    IDLE,
    BLOCKED,
    /** Blocked until a person approves or denies. */
    ASKS,
    /** Blocked until another agent has ended. */
    WAITS,
    FAIL,
    TERMINATE
  }

  /**
   * @param before how many model calls come before the action
   * @param after how many come behind it
   */
  record Step(int before, Act act, int after, End end) {

    static Step of(Act act) {
      return new Step(1, act, 0, End.GO_ON);
    }

    static Step of(End end) {
      return new Step(0, Act.NONE, 0, end);
    }
  }

  static Script of(Step... steps) {
    return new Script(List.of(steps));
  }
}
