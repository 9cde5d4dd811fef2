package dev.colony.core.dispatch;

import dev.colony.agent.action.ActionResult;

/** How one attempt at an action has ended. */
sealed interface Ending {

  /**
   * It has returned.
   *
   * @param bytes of the output as JSON text
   */
  record Returned(ActionResult result, int bytes) implements Ending {}

  /** It has failed. */
  record Threw(Throwable failure) implements Ending {}

  /** It was stopped; whether its code has noticed is another question. */
  record Stopped(Stop why) implements Ending {}

  /** It was not begun; the reason is one line for the planner. */
  record Refused(String reason) implements Ending {}
}
