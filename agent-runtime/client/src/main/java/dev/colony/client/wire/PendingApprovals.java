package dev.colony.client.wire;

import dev.colony.agent.view.PendingApproval;
import java.util.List;

/** What an agent asks persons for; none where it asks for nothing. */
public record PendingApprovals(List<PendingApproval> approvals) {

  public PendingApprovals {
    approvals = List.copyOf(approvals);
  }
}
