package dev.colony.agent.entity;

import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;

/** stub */
interface Dispatching {
  void begin(CurrentStep step);

  ActionResult finish(Action action, boolean again);
}
