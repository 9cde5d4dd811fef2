package dev.colony.vcm.branch;

import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A branch as agents and people see it.
 *
 * @param status open, merged or discarded
 * @param conflicts that keep it from being merged
 */
public record BranchView(
    String session, String map, String status, List<Changed> changes, List<Conflict> conflicts) {

  /**
   * What the branch has at an address: the id of the page of the map that stood there, or of the
   * one that was added there first.
   *
   * @param page absent where it was removed
   */
  public record Changed(String address, Optional<String> page) {}

  /** A page that the branch and another one that was merged have changed; absent if removed. */
  public record Conflict(String address, Optional<String> ours, Optional<String> theirs) {}

  /** A branch by itself. */
  static BranchView of(PageBranch branch, List<PageBranch.Conflict> conflicts) {
    return new BranchView(
        branch.session(),
        branch.map(),
        branch.status().name().toLowerCase(Locale.ROOT),
        branch.own().written().entrySet().stream()
            .map(one -> new Changed(one.getKey().value(), one.getValue().map(PageId::value)))
            .toList(),
        conflicts.stream()
            .map(one ->
                new Conflict(
                    one.address().value(),
                    one.ours().map(PageId::value),
                    one.theirs().map(PageId::value)))
            .toList());
  }
}
