package dev.colony.vcm.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboards;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.Parallel;
import dev.colony.vcm.store.PageBranch.PageTrunk;
import dev.colony.vcm.store.PageBranches.BranchResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What branches do, over any backend. */
abstract class PageBranchesContract {

  private static final StoreSettings SETTINGS = new StoreSettings(1 << 20, 4, 4, 1L << 40, 3);

  private final String tenant = "test-" + UUID.randomUUID();
  private PageMap map;
  private List<PageId> base;

  abstract Blackboards blackboards();

  @BeforeEach
  void map() {
    Map<String, String> files = new TreeMap<>();
    for (int i = 0; i < 8; i++) {
      files.put("d" + i + "/F" + i + ".txt", ("line of " + i + "\n").repeat(40));
    }
    MappingResult.Mapped mapped = Fixtures.map(files, new GroupingSettings(256, 2));
    store().save(mapped.map(), mapped.pages());
    map = mapped.map();
    base = PageTrunk.of(map).base();
  }

  private BlackboardPageStore store() {
    return new BlackboardPageStore(blackboards(), tenant, "test", SETTINGS);
  }

  /** As another process has them. */
  private PageBranches branches() {
    return new PageBranches(
        blackboards().open(PageBranches.scope(tenant), "test"), store(), SETTINGS);
  }

  private static VirtualContextPage page(int number) {
    return new VirtualContextPage(Fixtures.page(1000 + number), "text " + number, 2, List.of());
  }

  private PageTrunk trunk() {
    return branches().trunk(map.id()).orElseThrow();
  }

  private void open(String session) {
    assertThat(branches().open(session, map.id())).isInstanceOf(BranchResult.Done.class);
  }

  private void write(String session, PageId address, VirtualContextPage page) {
    assertThat(branches().write(session, map.id(), address, page))
        .isInstanceOf(BranchResult.Done.class);
  }

  @Test
  void whatASessionWritesIsItsOwnUntilItIsMerged() {
    open("one");
    open("two");
    write("one", base.getFirst(), page(1));
    assertThat(branches().remove("one", map.id(), base.get(1)))
        .isInstanceOf(BranchResult.Done.class);
    write("one", page(2).id(), page(2));

    PageBranch one = branches().branch("one", map.id()).orElseThrow();
    List<PageId> changed = new ArrayList<>(base.subList(2, base.size()));
    changed.addFirst(page(1).id());
    changed.add(page(2).id());
    assertThat(one.pages(base)).isEqualTo(changed);
    assertThat(store().pages(List.of(page(1).id(), page(2).id())))
        .containsExactly(page(1), page(2));
    assertThat(branches().branch("two", map.id()).orElseThrow().pages(base)).isEqualTo(base);
    assertThat(trunk().pages()).isEqualTo(base);

    assertThat(branches().merge("one", map.id()))
        .isInstanceOfSatisfying(
            BranchResult.Done.class,
            done -> assertThat(done.branch().status()).isEqualTo(PageBranch.Status.MERGED));
    assertThat(trunk().pages()).isEqualTo(changed);
    assertThat(branches().branch("two", map.id()).orElseThrow().pages(base))
        .as("as it was when the branch was made")
        .isEqualTo(base);
  }

  @Test
  void ofTwoMergesThatChangeOnePageTheSecondIsInConflict() {
    open("one");
    open("two");
    write("one", base.getFirst(), page(1));
    write("two", base.getFirst(), page(2));
    List<BranchResult> results =
        Parallel.blocking(2, List.of("one", "two"), session -> branches().merge(session, map.id()));
    assertThat(results).filteredOn(BranchResult.Done.class::isInstance).hasSize(1);
    BranchResult.Conflicted lost =
        results.stream()
            .filter(BranchResult.Conflicted.class::isInstance)
            .map(BranchResult.Conflicted.class::cast)
            .findFirst()
            .orElseThrow();
    PageBranch.Conflict conflict = lost.conflicts().getFirst();
    boolean twoLost = lost.branch().session().equals("two");
    assertThat(lost.conflicts())
        .containsExactly(
            new PageBranch.Conflict(
                base.getFirst(),
                Optional.of(base.getFirst()),
                Optional.of(page(twoLost ? 2 : 1).id()),
                Optional.of(page(twoLost ? 1 : 2).id())));
    assertThat(trunk().at(base.getFirst())).isEqualTo(conflict.theirs());

    String session = lost.branch().session();
    branches().settle(session, map.id(), conflict, true);
    assertThat(branches().merge(session, map.id())).isInstanceOf(BranchResult.Done.class);
    assertThat(trunk().at(base.getFirst())).isEqualTo(conflict.ours());
  }

  @Test
  void allConflictsAreSettledForOneSideAndMerged() {
    for (boolean ours : List.of(true, false)) {
      String first = "first-" + ours;
      String second = "second-" + ours;
      open(first);
      open(second);
      for (int i = 0; i < 2; i++) {
        write(first, base.get(i), page(10 + i + (ours ? 0 : 4)));
        write(second, base.get(i), page(12 + i + (ours ? 0 : 4)));
      }
      branches().merge(first, map.id());
      Optional<PageId> theirs = trunk().at(base.getFirst());

      assertThat(branches().settleAll(second, map.id(), ours))
          .isInstanceOfSatisfying(
              BranchResult.Done.class,
              done -> assertThat(done.view().status()).isEqualTo("merged"));
      assertThat(trunk().at(base.getFirst())).isEqualTo(ours ? Optional.of(page(12).id()) : theirs);
    }
  }

  @Test
  void whatIsDiscardedIsGone() {
    open("one");
    write("one", base.getFirst(), page(1));
    branches().discard("one", map.id());

    assertThat(trunk().pages()).isEqualTo(base);
    assertThat(branches().merge("one", map.id()))
        .isEqualTo(
            new BranchResult.Refused(
                "the branch of session one of map " + map.id() + " is discarded: open it again"));
    open("one");
    assertThat(branches().branch("one", map.id()).orElseThrow().pages(base)).isEqualTo(base);
  }

  @Test
  void openedAgainItIsTheSameBranch() {
    open("one");
    write("one", base.getFirst(), page(1));
    open("one");
    assertThat(branches().branch("one", map.id()).orElseThrow().pages(base))
        .startsWith(page(1).id());
  }

  @Test
  void whatCannotBeDoneIsRefusedInOneLine() {
    assertThat(branches().open("one", "none"))
        .isEqualTo(new BranchResult.Refused("no page map none: map its source"));
    assertThat(branches().remove("one", map.id(), base.getFirst()))
        .isEqualTo(
            new BranchResult.Refused(
                "session one has no branch of map " + map.id() + ": open one"));
    open("one");
    for (int i = 0; i < 3; i++) {
      write("one", base.get(i), page(i));
    }
    assertThat(branches().write("one", map.id(), base.get(3), page(3)))
        .isInstanceOfSatisfying(
            BranchResult.Refused.class,
            refused ->
                assertThat(refused.reason())
                    .contains("has changed 3 pages", "the most that it may"));
    write("one", base.getFirst(), page(9));
  }
}
