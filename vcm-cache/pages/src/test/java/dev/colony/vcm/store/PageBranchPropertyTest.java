package dev.colony.vcm.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageId;
import dev.colony.vcm.store.PageBranch.Change;
import dev.colony.vcm.store.PageBranch.Conflict;
import dev.colony.vcm.store.PageBranch.Merge;
import dev.colony.vcm.store.PageBranch.PageOverlay;
import dev.colony.vcm.store.PageBranch.PageTrunk;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Branches beside maps of addresses to pages, which say what they mean. */
class PageBranchPropertyTest {

  private static final int PAGES = 6;
  private static final List<PageId> BASE =
      IntStream.range(0, PAGES).mapToObj(Fixtures::page).toList();
  private static final PageTrunk TRUNK = new PageTrunk(BASE, PageOverlay.NONE);

  @Provide
  Arbitrary<List<Change>> changes() {
    // Few pages, so that branches meet; two addresses beyond the base are added.
    Arbitrary<PageId> address = Arbitraries.integers().between(0, PAGES + 1).map(Fixtures::page);
    Arbitrary<PageId> page = Arbitraries.integers().between(0, PAGES + 3).map(Fixtures::page);
    Arbitrary<Change> put = Combinators.combine(address, page).as(PageBranch.Put::new);
    Arbitrary<Change> remove = address.map(PageBranch.Remove::new);
    return Arbitraries.oneOf(put, put, remove).list().ofMaxSize(8);
  }

  private static PageBranch branch(PageTrunk trunk, List<Change> changes) {
    PageBranch branch = PageBranch.of("s", "m", trunk);
    for (Change change : changes) {
      branch = branch.with(change, BASE);
    }
    return branch;
  }

  private static Map<PageId, PageId> model(Map<PageId, PageId> from, List<Change> changes) {
    Map<PageId, PageId> model = new HashMap<>(from);
    for (Change change : changes) {
      switch (change) {
        case PageBranch.Put put -> model.put(put.address(), put.page());
        case PageBranch.Remove remove -> model.remove(remove.address());
      }
    }
    return model;
  }

  private static Map<PageId, PageId> base() {
    Map<PageId, PageId> model = new HashMap<>();
    BASE.forEach(page -> model.put(page, page));
    return model;
  }

  private static Map<PageId, PageId> seen(PageTrunk trunk) {
    Map<PageId, PageId> seen = new HashMap<>();
    IntStream.range(0, PAGES + 2)
        .mapToObj(Fixtures::page)
        .forEach(address -> trunk.at(address).ifPresent(page -> seen.put(address, page)));
    return seen;
  }

  private static Map<PageId, PageId> seen(PageBranch branch) {
    Map<PageId, PageId> seen = new HashMap<>();
    IntStream.range(0, PAGES + 2)
        .mapToObj(Fixtures::page)
        .forEach(address -> branch.at(address, BASE).ifPresent(page -> seen.put(address, page)));
    return seen;
  }

  private static PageTrunk merged(PageBranch branch, PageTrunk trunk) {
    return ((Merge.Merged) branch.merge(trunk)).trunk();
  }

  @Property
  void aBranchShowsItsOwnPagesAndTheTrunksElsewhere(@ForAll("changes") List<Change> changes) {
    PageBranch branch = branch(TRUNK, changes);

    assertThat(seen(branch)).isEqualTo(model(base(), changes));
    assertThat(branch.pages(BASE)).containsExactlyInAnyOrderElementsOf(seen(branch).values());
    assertThat(seen(TRUNK)).as("the trunk").isEqualTo(base());
  }

  @Property
  void anUndisturbedMergeGivesTheTrunkWhatTheBranchShows(
      @ForAll("changes") List<Change> first, @ForAll("changes") List<Change> second) {
    PageTrunk once = merged(branch(TRUNK, first), TRUNK);
    assertThat(seen(once)).isEqualTo(model(base(), first));

    PageTrunk twice = merged(branch(once, second), once);
    assertThat(seen(twice)).isEqualTo(model(model(base(), first), second));
    assertThat(twice.pages()).isEqualTo(branch(once, second).pages(BASE));
  }

  @Property
  void aMergeIsInConflictJustWhereBothSidesChangedAPageDifferently(
      @ForAll("changes") List<Change> ours, @ForAll("changes") List<Change> theirs) {
    PageBranch branch = branch(TRUNK, ours);
    PageTrunk trunk = merged(branch(TRUNK, theirs), TRUNK);
    Map<PageId, PageId> mine = model(base(), ours);
    Map<PageId, PageId> other = model(base(), theirs);
    Set<PageId> expected = new HashSet<>();
    for (int i = 0; i < PAGES + 2; i++) {
      PageId address = Fixtures.page(i);
      PageId before = base().get(address);
      PageId here = mine.get(address);
      PageId there = other.get(address);
      boolean bothChanged = !same(here, before) && !same(there, before);
      if (bothChanged && !same(here, there)) {
        expected.add(address);
      }
    }

    switch (branch.merge(trunk)) {
      case Merge.Merged both -> {
        assertThat(expected).isEmpty();
        assertThat(both.trunk()).isEqualTo(mergedTheOtherWayRound(ours, theirs));
      }
      case Merge.Conflicted conflicted -> {
        assertThat(conflicted.conflicts())
            .extracting(Conflict::address)
            .hasSameElementsAs(expected);
        for (Conflict one : conflicted.conflicts()) {
          assertThat(one.before()).isEqualTo(TRUNK.at(one.address()));
          assertThat(one.ours()).isEqualTo(branch.at(one.address(), BASE));
          assertThat(one.theirs()).isEqualTo(trunk.at(one.address()));
        }
      }
    }
  }

  private static boolean same(PageId one, PageId other) {
    return Optional.ofNullable(one).equals(Optional.ofNullable(other));
  }

  private static PageTrunk mergedTheOtherWayRound(List<Change> ours, List<Change> theirs) {
    return merged(branch(TRUNK, theirs), merged(branch(TRUNK, ours), TRUNK));
  }

  @Property
  void settledConflictsMerge(
      @ForAll("changes") List<Change> ours,
      @ForAll("changes") List<Change> theirs,
      @ForAll boolean takeOurs) {
    PageTrunk trunk = merged(branch(TRUNK, theirs), TRUNK);
    PageBranch branch = branch(TRUNK, ours);
    if (branch.merge(trunk) instanceof Merge.Conflicted conflicted) {
      PageBranch settled = branch;
      for (Conflict one : conflicted.conflicts()) {
        settled = settled.settled(one, takeOurs);
      }
      PageTrunk after = merged(settled, trunk);
      for (Conflict one : conflicted.conflicts()) {
        assertThat(after.at(one.address())).isEqualTo(takeOurs ? one.ours() : one.theirs());
      }
    }
  }
}
