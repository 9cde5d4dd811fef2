package dev.colony.vcm.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.Fixtures;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class GroupAssignmentPropertyTest {

  private static final List<PageId> PAGES =
      List.of(Fixtures.page(1), Fixtures.page(2), Fixtures.page(3));

  @Provide
  Arbitrary<List<Set<PageId>>> caches() {
    return Arbitraries.integers()
        .between(1, 4)
        .map(Fixtures::page)
        .set()
        .ofMaxSize(4)
        .list()
        .ofMaxSize(3);
  }

  private static GroupAssignment group(PageGroup.Kind kind) {
    return new GroupAssignment(Fixtures.group(1), 0, PAGES, 30, kind);
  }

  @Property
  void aMandatoryGroupIsNeverHalfResidentForItsReader(@ForAll("caches") List<Set<PageId>> caches) {
    boolean whole = false;
    for (Set<PageId> cache : caches) {
      whole |= cache.containsAll(PAGES);
    }
    assertThat(group(PageGroup.Kind.MANDATORY).resident(caches)).isEqualTo(whole);
  }

  @Property
  void anAdvisoryGroupIsResidentWhereEachPageIsSomewhere(
      @ForAll("caches") List<Set<PageId>> caches) {
    Set<PageId> somewhere = new HashSet<>();
    caches.forEach(somewhere::addAll);
    assertThat(group(PageGroup.Kind.ADVISORY).resident(caches))
        .isEqualTo(somewhere.containsAll(PAGES));
  }

  @Property
  void takingAwayAPageNeverMakesAMandatoryGroupResident(
      @ForAll("caches") List<Set<PageId>> caches) {
    GroupAssignment group = group(PageGroup.Kind.MANDATORY);
    if (!group.resident(caches)) {
      for (int i = 0; i < caches.size(); i++) {
        for (PageId gone : caches.get(i)) {
          List<Set<PageId>> less = new ArrayList<>(caches);
          Set<PageId> one = new HashSet<>(caches.get(i));
          one.remove(gone);
          less.set(i, one);
          assertThat(group.resident(less)).isFalse();
        }
      }
    }
  }
}
