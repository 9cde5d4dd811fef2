package dev.colony.vcm.branch;

import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What a session has changed of a map, for itself alone as long as it is not merged. Immutable;
 * costs as much as it has changed.
 *
 * @param session whose branch it is
 * @param map id of the page map
 * @param forked what the trunk had when the branch was made
 * @param own what the session has written since
 */
public record PageBranch(
    String session, String map, Status status, PageOverlay forked, PageOverlay own) {

  /** What became of it. */
  public enum Status {
    /** It can be written. */
    OPEN,
    /** Its changes are in the trunk. */
    MERGED,
    /** Its changes are gone. */
    DISCARDED
  }

  /** What a branch is written with. */
  public sealed interface Change {

    /** Which page of the branch it is about. */
    PageId address();
  }

  /** Another page stands there from now on; at an address that there was not, it is added. */
  public record Put(PageId address, PageId page) implements Change {}

  /** No page stands there from now on. */
  public record Remove(PageId address) implements Change {}

  /** A session's new branch of a trunk. */
  public static PageBranch of(String session, String map, PageTrunk trunk) {
    return new PageBranch(session, map, Status.OPEN, trunk.overlay(), PageOverlay.NONE);
  }

  /** What stands at an address of the branch. */
  public Optional<PageId> at(PageId address, List<PageId> base) {
    return own.at(address, before(address, base));
  }

  /** All pages of the branch, in the order of {@link PageTrunk#pages}. */
  public List<PageId> pages(List<PageId> base) {
    return PageTrunk.pages(base, forked.with(own.written()));
  }

  /** With a change; what is changed back is no change. */
  public PageBranch with(Change change, List<PageId> base) {
    Optional<PageId> page =
        switch (change) {
          case Put put -> Optional.of(put.page());
          case Remove remove -> Optional.empty();
        };
    PageOverlay changed =
        page.equals(before(change.address(), base))
            ? own.without(change.address())
            : own.with(change.address(), page);
    return new PageBranch(session, map, status, forked, changed);
  }

  PageBranch ended(Status end) {
    return new PageBranch(session, map, end, forked, own);
  }

  private Optional<PageId> before(PageId address, List<PageId> base) {
    return forked.at(address, base.contains(address) ? Optional.of(address) : Optional.empty());
  }

  /**
   * What merging comes to. Nothing of it is done where there is a conflict.
   *
   * @param trunk as it is now
   */
  public Merge merge(PageTrunk trunk) {
    Map<PageId, Optional<PageId>> news = new TreeMap<>();
    List<Conflict> conflicts = new ArrayList<>();
    own.written()
        .forEach((address, ours) -> {
          Optional<PageId> before = before(address, trunk.base());
          Optional<PageId> theirs = trunk.at(address);
          if (theirs.equals(before)) {
            news.put(address, ours);
          } else if (!theirs.equals(ours)) {
            conflicts.add(new Conflict(address, before, ours, theirs));
          }
        });
    return conflicts.isEmpty()
        ? new Merge.Merged(new PageTrunk(trunk.base(), trunk.overlay().with(news)))
        : new Merge.Conflicted(conflicts);
  }

  /**
   * With a conflict settled. The next merge finds it again if the trunk has changed there once
   * more.
   *
   * @param ours whether the branch's page is to stand there, in place of the trunk's
   */
  public PageBranch settled(Conflict conflict, boolean ours) {
    return new PageBranch(
        session,
        map,
        status,
        forked.with(conflict.address(), conflict.theirs()),
        ours ? own : own.without(conflict.address()));
  }

  /**
   * A page that both the branch and the trunk have changed since the fork, to different pages.
   *
   * @param before what stood there at the fork; empty where there was none
   * @param ours what the branch has there; empty where it has removed it
   * @param theirs what the trunk has there; empty where it was removed
   */
  public record Conflict(
      PageId address, Optional<PageId> before, Optional<PageId> ours, Optional<PageId> theirs) {}

  /** What merging comes to. */
  public sealed interface Merge {

    /** The trunk with the branch's changes. */
    record Merged(PageTrunk trunk) implements Merge {}

    /**
     * Nothing was changed.
     *
     * @param conflicts in the order of their addresses
     */
    record Conflicted(List<Conflict> conflicts) implements Merge {
      public Conflicted {
        conflicts = List.copyOf(conflicts);
      }
    }
  }
}
