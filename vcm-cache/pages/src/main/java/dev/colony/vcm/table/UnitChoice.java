package dev.colony.vcm.table;

import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import java.util.Collection;
import java.util.SortedMap;

/** Says which unit each of some new groups shall belong to. Pure: equal arguments, equal answer. */
@FunctionalInterface
public interface UnitChoice {

  /** One unit for each group. */
  SortedMap<PageGroupId, Integer> choose(Collection<PageGroup> groups, PageTableSnapshot table);
}
