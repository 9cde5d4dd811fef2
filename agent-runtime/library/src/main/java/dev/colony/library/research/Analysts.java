package dev.colony.library.research;

import dev.colony.agent.AgentId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.vcm.PageGroupId;
import java.util.concurrent.CompletionStage;

/**
 * The analysts of page groups. They are no agent's children, since every question about a group
 * goes to the same one: there are as many as there are groups, however many agents ask. A service
 * of the node.
 */
public final class Analysts {

  private final Colony colony;

  public Analysts(Colony colony) {
    this.colony = colony;
  }

  /** The analyst of a group in the asker's colony, spawned if need be. */
  CompletionStage<AgentHandle> of(AgentId asker, PageGroupId group) {
    return colony.spawn(
        new AgentId(asker.tenant(), asker.colony(), "analyst-" + group.value()),
        ResearchTypes.analyst(group));
  }
}
