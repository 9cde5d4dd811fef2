package dev.colony.core.weave;

import dev.colony.agent.author.Hookable;

/** A class that a test loads in a loader of its own. */
class Unloadable {
  @Hookable
  void run() {}
}
