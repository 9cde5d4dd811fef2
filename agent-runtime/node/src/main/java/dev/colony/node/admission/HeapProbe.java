package dev.colony.node.admission;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How full the heap was after the last garbage collection. What is used between two collections
 * says nothing: most of it is garbage. A collection of the young generation leaves garbage of the
 * old one behind, so that the figure is too high rather than too low.
 */
final class HeapProbe {

  private static final int ALL = 100;

  private final List<GarbageCollectorMXBean> collectors =
      ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class);
  private final Set<String> pools =
      ManagementFactory.getMemoryPoolMXBeans().stream()
          .filter(pool -> pool.getType() == MemoryType.HEAP)
          .map(MemoryPoolMXBean::getName)
          .collect(Collectors.toSet());

  /** In percent of the largest possible heap; 0 before the first collection. */
  int percent() {
    return collectors.stream()
        .map(GarbageCollectorMXBean::getLastGcInfo)
        .filter(Objects::nonNull)
        .max(Comparator.comparingLong(GcInfo::getEndTime))
        .map(this::percent)
        .orElse(0);
  }

  private int percent(GcInfo last) {
    long used =
        last.getMemoryUsageAfterGc().entrySet().stream()
            .filter(pool -> pools.contains(pool.getKey()))
            .mapToLong(pool -> pool.getValue().getUsed())
            .sum();
    return (int) Math.min(ALL, used * ALL / Runtime.getRuntime().maxMemory());
  }
}
