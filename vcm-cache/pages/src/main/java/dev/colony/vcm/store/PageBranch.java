package dev.colony.vcm.store;

import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.store.PageBranch.PageOverlay;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
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

  /**
   * What stands at the addresses of a map in place of the map's own pages. The address of a page of
   * the map is that page's id; that of an added page is the id of the page that was added there
   * first. Immutable.
   *
   * @param written by address, in their order; empty where the page was removed
   */
  public record PageOverlay(SortedMap<PageId, Optional<PageId>> written) {

    /** Everything is as the map has it. */
    public static final PageOverlay NONE = new PageOverlay(new TreeMap<>());

    public PageOverlay {
      written = Collections.unmodifiableSortedMap(new TreeMap<>(written));
    }

    /**
     * What stands at an address; empty where the page was removed.
     *
     * @param below what stands there where this overlay has nothing
     */
    Optional<PageId> at(PageId address, Optional<PageId> below) {
      return written.containsKey(address) ? written.get(address) : below;
    }

    PageOverlay with(PageId address, Optional<PageId> page) {
      TreeMap<PageId, Optional<PageId>> more = new TreeMap<>(written);
      more.put(address, page);
      return new PageOverlay(more);
    }

    PageOverlay without(PageId address) {
      TreeMap<PageId, Optional<PageId>> less = new TreeMap<>(written);
      less.remove(address);
      return new PageOverlay(less);
    }

    PageOverlay with(Map<PageId, Optional<PageId>> others) {
      TreeMap<PageId, Optional<PageId>> more = new TreeMap<>(written);
      more.putAll(others);
      return new PageOverlay(more);
    }
  }

  /**
   * A map with what was merged into it. Immutable.
   *
   * @param base the pages of the map, in its order
   */
  public record PageTrunk(List<PageId> base, PageOverlay overlay) {

    public PageTrunk {
      base = List.copyOf(base);
    }

    /** A map that nothing was merged into. */
    public static PageTrunk of(PageMap map) {
      return new PageTrunk(
          map.groups().stream().flatMap(group -> group.pages().stream()).toList(),
          PageOverlay.NONE);
    }

    /** What stands at an address; empty where there is none, or it was removed. */
    public Optional<PageId> at(PageId address) {
      return overlay.at(address, base.contains(address) ? Optional.of(address) : Optional.empty());
    }

    /** All pages: those of the map in its order, then those that were added, by their addresses. */
    public List<PageId> pages() {
      return pages(base, overlay);
    }

    static List<PageId> pages(List<PageId> base, PageOverlay overlay) {
      Set<PageId> own = new HashSet<>(base);
      List<PageId> pages = new ArrayList<>();
      base.forEach(address -> overlay.at(address, Optional.of(address)).ifPresent(pages::add));
      overlay
          .written()
          .forEach((address, page) -> {
            if (!own.contains(address)) {
              page.ifPresent(pages::add);
            }
          });
      return pages;
    }
  }
}
