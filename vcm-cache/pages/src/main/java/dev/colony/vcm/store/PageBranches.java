package dev.colony.vcm.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.store.PageBranch.PageOverlay;
import dev.colony.vcm.store.PageBranch.PageTrunk;
import dev.colony.vcm.store.PageBranches.BranchView;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The branches of a tenant's page maps, in its scope's namespace {@code page-branches}: one entry
 * for each branch, and one for what was merged into each map. A branch is named by its session and
 * its map. Each call is one transaction on the two entries, so that of two merges that change one
 * page the second finds the first. Thread-safe; calls block, and fail as the blackboard does.
 */
public final class PageBranches {

  private final Blackboard board;
  private final PageStore pages;
  private final StoreSettings settings;

  /** Where the branches of a tenant are. */
  public static Scope scope(String tenant) {
    return Scope.tenant(tenant).namespace("page-branches");
  }

  /**
   * Holds nothing.
   *
   * @param board of the tenant's {@link #scope}
   * @param pages where the tenant's maps are, and what is written is stored
   */
  public PageBranches(Blackboard board, PageStore pages, StoreSettings settings) {
    this.board = board;
    this.pages = pages;
    this.settings = settings;
  }

  /**
   * The session's branch of a map, made where there is none, or where the last one was merged or
   * discarded. Refused where the map is not stored.
   *
   * @param session 1 to 128 characters of {@code [A-Za-z0-9._~-]}
   */
  public BranchResult open(String session, String map) {
    return within(
        session,
        map,
        (trunk, branch) ->
            branch.filter(one -> one.status() == PageBranch.Status.OPEN).isPresent()
                ? new Step(new BranchResult.Done(branch.get()))
                : Step.of(PageBranch.of(session, map, trunk)));
  }

  /** The session's branch, whatever became of it; empty where there was none. */
  public Optional<PageBranch> branch(String session, String map) {
    return Await.result(board.read(key(session, map))).map(e -> branch(e.value()));
  }

  /** A map with what was merged into it; empty where the map is not stored. */
  public Optional<PageTrunk> trunk(String map) {
    return pages.map(map).map(found -> trunk(found, Await.result(board.read(trunkKey(map)))));
  }

  private static PageTrunk trunk(PageMap map, Optional<Entry> merged) {
    return new PageTrunk(
        PageTrunk.of(map).base(), merged.map(e -> overlay(e.value())).orElse(PageOverlay.NONE));
  }

  /**
   * Writes a page in the branch: stores it, and has it stand at an address. Refused where the
   * branch is not open, or has written as many pages as it may.
   *
   * @param address of the page that it replaces; the page's own id adds it
   */
  public BranchResult write(String session, String map, PageId address, VirtualContextPage page) {
    pages.save(List.of(page));
    return change(session, map, new PageBranch.Put(address, page.id()));
  }

  /** Removes a page in the branch. Refused where the branch is not open, or full. */
  public BranchResult remove(String session, String map, PageId address) {
    return change(session, map, new PageBranch.Remove(address));
  }

  private BranchResult change(String session, String map, PageBranch.Change change) {
    return within(
        session,
        map,
        (trunk, branch) ->
            ifOpen(
                session,
                map,
                branch,
                open -> {
                  PageBranch changed = open.with(change, trunk.base());
                  return changed.own().written().size() > settings.mostBranchPages()
                      ? Step.refused(
                          "the branch of session %s has changed %d pages, the most that it may: merge or discard it"
                              .formatted(session, settings.mostBranchPages()))
                      : Step.of(changed);
                }));
  }

  /**
   * Puts the branch's changes into the trunk; none of them where one is in conflict with what was
   * merged since the branch was made.
   */
  public BranchResult merge(String session, String map) {
    return within(
        session,
        map,
        (trunk, branch) ->
            ifOpen(
                session,
                map,
                branch,
                open ->
                    switch (open.merge(trunk)) {
                      case PageBranch.Merge.Merged merged -> {
                        PageBranch ended = open.ended(PageBranch.Status.MERGED);
                        yield new Step(
                            new BranchResult.Done(ended),
                            Optional.of(ended),
                            Optional.of(merged.trunk()));
                      }
                      case PageBranch.Merge.Conflicted conflicted ->
                          new Step(new BranchResult.Conflicted(open, conflicted.conflicts()));
                    }));
  }

  /**
   * Settles a conflict that a merge has told of, for the next merge.
   *
   * @param ours whether the branch's page is to stand there, in place of the trunk's
   */
  public BranchResult settle(
      String session, String map, PageBranch.Conflict conflict, boolean ours) {
    return within(
        session,
        map,
        (trunk, branch) ->
            ifOpen(session, map, branch, open -> Step.of(open.settled(conflict, ours))));
  }

  /**
   * Merges it, and settles all conflicts for one side where there are any, and merges it then.
   *
   * @param ours whether the branch's pages are to stand, in place of the trunk's
   */
  public BranchResult settleAll(String session, String map, boolean ours) {
    BranchResult merged = merge(session, map);
    if (merged instanceof BranchResult.Conflicted conflicted) {
      conflicted.conflicts().forEach(one -> settle(session, map, one, ours));
      merged = merge(session, map);
    }
    return merged;
  }

  /** Gives the branch's changes up; the trunk stays as it is. */
  public BranchResult discard(String session, String map) {
    return within(
        session,
        map,
        (trunk, branch) ->
            ifOpen(session, map, branch, open -> Step.of(open.ended(PageBranch.Status.DISCARDED))));
  }

  /** What a call comes to, and what is stored. */
  private record Step(BranchResult result, Optional<PageBranch> branch, Optional<PageTrunk> trunk) {

    Step(BranchResult result) {
      this(result, Optional.empty(), Optional.empty());
    }

    static Step of(PageBranch branch) {
      return new Step(new BranchResult.Done(branch), Optional.of(branch), Optional.empty());
    }

    static Step refused(String reason) {
      return new Step(new BranchResult.Refused(reason));
    }
  }

  private static Step ifOpen(
      String session, String map, Optional<PageBranch> branch, Function<PageBranch, Step> step) {
    return branch
        .filter(one -> one.status() == PageBranch.Status.OPEN)
        .map(step)
        .orElseGet(() ->
            Step.refused(
                branch
                    .map(ended ->
                        "the branch of session %s of map %s is %s: open it again"
                            .formatted(
                                session, map, ended.status().name().toLowerCase(Locale.ROOT)))
                    .orElse(
                        "session %s has no branch of map %s: open one".formatted(session, map))));
  }

  private BranchResult within(
      String session, String map, BiFunction<PageTrunk, Optional<PageBranch>, Step> step) {
    String key = key(session, map);
    return pages
        .map(map)
        .map(found -> Await.result(board.transaction(tx -> within(tx, key, found, step))))
        .orElseGet(() -> new BranchResult.Refused("no page map " + map + ": map its source"));
  }

  private static CompletionStage<BranchResult> within(
      Transaction tx,
      String key,
      PageMap map,
      BiFunction<PageTrunk, Optional<PageBranch>, Step> step) {
    return tx.read(trunkKey(map.id()))
        .thenCompose(merged ->
            tx.read(key)
                .thenCompose(stored -> {
                  Step next = step.apply(trunk(map, merged), stored.map(e -> branch(e.value())));
                  CompletionStage<Void> written = CompletableFuture.completedStage(null);
                  if (next.branch().isPresent()) {
                    ObjectNode json = json(next.branch().get());
                    written = written.thenCompose(done -> tx.write(Write.of(key, json)));
                  }
                  if (next.trunk().isPresent()) {
                    ObjectNode json = json(next.trunk().get().overlay());
                    written =
                        written.thenCompose(done -> tx.write(Write.of(trunkKey(map.id()), json)));
                  }
                  return written.thenApply(done -> next.result());
                }));
  }

  private static String key(String session, String map) {
    return "branch:" + map + ":" + session;
  }

  private static String trunkKey(String map) {
    return "trunk:" + map;
  }

  private static ObjectNode json(PageBranch branch) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("session", branch.session());
    json.put("map", branch.map());
    json.put("status", branch.status().name().toLowerCase(Locale.ROOT));
    json.set("forked", json(branch.forked()));
    json.set("own", json(branch.own()));
    return json;
  }

  /** An empty string is a page that was removed. */
  private static ObjectNode json(PageOverlay overlay) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    overlay
        .written()
        .forEach((address, page) -> json.put(address.value(), page.map(PageId::value).orElse("")));
    return json;
  }

  private static PageBranch branch(JsonNode json) {
    return new PageBranch(
        json.required("session").asText(),
        json.required("map").asText(),
        PageBranch.Status.valueOf(json.required("status").asText().toUpperCase(Locale.ROOT)),
        overlay(json.required("forked")),
        overlay(json.required("own")));
  }

  private static PageOverlay overlay(JsonNode json) {
    TreeMap<PageId, Optional<PageId>> written = new TreeMap<>();
    json.properties()
        .forEach(one -> {
          String page = one.getValue().asText();
          written.put(
              new PageId(one.getKey()),
              page.isEmpty() ? Optional.empty() : Optional.of(new PageId(page)));
        });
    return new PageOverlay(written);
  }

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
}
