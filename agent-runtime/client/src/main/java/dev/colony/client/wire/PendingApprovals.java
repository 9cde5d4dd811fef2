package dev.colony.client.wire;

import dev.colony.agent.view.PendingApproval;
import java.util.List;
import java.util.Optional;

/**
 * What an agent, or a page of agents, asks persons for; none where they ask for nothing.
 *
 * @param next where the next page begins; empty behind the last, and for one agent
 */
public record PendingApprovals(List<PendingApproval> approvals, Optional<String> next) {

  public PendingApprovals {
    approvals = List.copyOf(approvals);
  }
}
