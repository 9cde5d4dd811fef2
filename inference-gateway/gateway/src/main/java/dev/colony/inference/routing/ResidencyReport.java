package dev.colony.inference.routing;

import java.util.List;

/**
 * All pages that a replica holds, at one moment.
 *
 * @param incarnation changes when the replica begins a new life; blank while it is lost
 * @param version grows within an incarnation
 * @param estimated whether the list was derived from the calls sent, because the replica does not
 *     publish what it holds
 */
public record ResidencyReport(
    String replica, String incarnation, long version, boolean estimated, List<Page> pages) {

  /** A resident page and its size. */
  public record Page(String id, int tokens) {}

  public ResidencyReport {
    pages = List.copyOf(pages);
  }
}
