package dev.colony.vcm.graph;

import dev.colony.vcm.settings.GraphSettings;
import java.time.Duration;
import java.time.Instant;

/**
 * What is known of whether one page answers what another asks.
 *
 * @param layout how closely the two belong together as their text says, 0 to 1
 * @param asked how often the one was asked, older questions counting less
 * @param answered how often it had an answer, likewise; at most {@code asked}
 * @param at the time for which both hold
 */
public record PageEdge(double layout, double asked, double answered, Instant at) {

  public PageEdge {
    if (!(layout >= 0 && layout <= 1) || !(answered >= 0 && answered <= asked)) {
      throw new IllegalArgumentException(
          "an edge of layout %s with %s answers of %s".formatted(layout, answered, asked));
    }
  }

  static PageEdge laidOut(double layout, Instant at) {
    return new PageEdge(layout, 0, 0, at);
  }

  /** The same with one more question, answered or not. */
  PageEdge learned(boolean answer, Instant now, GraphSettings settings) {
    PageEdge faded = at(now, settings);
    return new PageEdge(layout, faded.asked + 1, faded.answered + (answer ? 1 : 0), faded.at);
  }

  /** The same at a later time; an earlier one changes nothing. */
  PageEdge at(Instant now, GraphSettings settings) {
    if (!now.isAfter(at)) {
      return this;
    }
    double left = Math.pow(0.5, seconds(Duration.between(at, now)) / seconds(settings.halfLife()));
    return new PageEdge(layout, asked * left, answered * left, now);
  }

  /** How likely an answer is, 0 to 1: what was learned, and the layout as so many answers. */
  double weight(Instant now, GraphSettings settings) {
    PageEdge faded = at(now, settings);
    return (settings.prior() * layout + faded.answered) / (settings.prior() + faded.asked);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }
}
