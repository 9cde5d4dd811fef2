package dev.colony.core.dispatch;

import dev.colony.agent.action.Ref;

/** A reference to what is not there; the message names it. */
final class Unresolvable extends Exception {

  private static final long serialVersionUID = 1L;

  Unresolvable(Ref ref, String why) {
    super(ref + " cannot be resolved: " + why);
  }
}
