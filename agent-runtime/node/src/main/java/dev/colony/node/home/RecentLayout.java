package dev.colony.node.home;

import dev.colony.vcm.placement.ClusterLayout;
import dev.colony.vcm.placement.ClusterView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The layout as it was when it was last asked for, which no caller waits for: an old one is handed
 * out, and a new one asked for beside. Before the first answer the cluster is empty. Thread-safe.
 */
public final class RecentLayout implements Supplier<ClusterView> {

  private final ClusterLayout layout;
  private final Duration lasts;
  private final InstantSource clock;
  private volatile ClusterView known = ClusterView.of(List.of(), Map.of());
  private Instant askedAt = Instant.MIN;
  private boolean asking;

  /**
   * @param lasts how old a layout may be before another is asked for
   */
  public RecentLayout(ClusterLayout layout, Duration lasts, InstantSource clock) {
    this.layout = layout;
    this.lasts = lasts;
    this.clock = clock;
  }

  @Override
  public ClusterView get() {
    if (due()) {
      layout
          .view()
          .whenComplete((view, failure) -> {
            if (failure == null) {
              known = view;
            }
            answered();
          });
    }
    return known;
  }

  private synchronized boolean due() {
    Instant now = clock.instant();
    if (asking || askedAt.plus(lasts).isAfter(now)) {
      return false;
    }
    askedAt = now;
    asking = true;
    return true;
  }

  private synchronized void answered() {
    asking = false;
  }
}
