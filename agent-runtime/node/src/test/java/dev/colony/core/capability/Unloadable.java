package dev.colony.core.capability;

import dev.colony.agent.author.Hookable;

/** A class that a test loads in a loader of its own. */
class Unloadable {
  @Hookable
  void run() {}
}
