package dev.colony.vcm.branch;

import java.util.List;

/** What became of something that was asked of a branch. */
public sealed interface BranchResult {

  /** It was done. */
  record Done(PageBranch branch) implements BranchResult {
    public BranchView view() {
      return BranchView.of(branch, List.of());
    }
  }

  /** The branch was not merged: these pages were changed on both sides. It stays open. */
  record Conflicted(PageBranch branch, List<PageBranch.Conflict> conflicts)
      implements BranchResult {
    public Conflicted {
      conflicts = List.copyOf(conflicts);
    }

    public BranchView view() {
      return BranchView.of(branch, conflicts);
    }
  }

  /**
   * Nothing was done.
   *
   * @param reason one line
   */
  record Refused(String reason) implements BranchResult {}
}
