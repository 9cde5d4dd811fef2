package dev.colony.agent.author;

import java.util.List;

/**
 * A capability whose hooks hang on its arguments: they are added when it is made, beside those of
 * its {@link Hook} methods, each under the capability's key, a dot and its own name.
 */
public interface HookSource {

  List<AgentHook> hooks();
}
