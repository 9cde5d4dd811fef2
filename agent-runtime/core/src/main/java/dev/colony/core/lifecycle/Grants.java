package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.suspension.Approval;
import dev.colony.agent.suspension.SuspensionCause;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What people have said to what a run asked for.
 *
 * @param approvals the last answer to each request, by its name
 * @param budgets how many times more it may spend what it may
 * @param budget the last grant of that
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Grants(
    Map<String, Approval> approvals,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) int budgets,
    Optional<Approval> budget) {

  /** What a run asks for that has spent its budget; see {@link SuspensionCause#BUDGET}. */
  public static final String BUDGET = "budget";

  static final Grants NONE = new Grants(Map.of(), 0, Optional.empty());

  public Grants {
    approvals = approvals == null ? Map.of() : Map.copyOf(approvals);
    budget = budget == null ? Optional.empty() : budget;
  }

  /** A granted budget is worth itself once, and asked for again when that is spent. */
  Grants plus(Approval approval) {
    if (approval.request().equals(BUDGET) && approval.granted()) {
      return new Grants(approvals, budgets + 1, Optional.of(approval));
    }
    Map<String, Approval> more = new HashMap<>(approvals);
    more.put(approval.request(), approval);
    return new Grants(more, budgets, budget);
  }
}
