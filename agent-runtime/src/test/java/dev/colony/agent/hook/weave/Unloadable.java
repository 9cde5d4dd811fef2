package dev.colony.agent.hook.weave;

import dev.colony.agent.hook.Hookable;

/** A class that a test loads in a loader of its own. */
class Unloadable {
  @Hookable
  void run() {}
}
