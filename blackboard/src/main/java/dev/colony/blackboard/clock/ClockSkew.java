package dev.colony.blackboard.clock;

import java.time.Duration;

/**
 * How far clocks are ahead of cluster time; negative where they are behind.
 *
 * @param node the wall clock of this process' machine
 * @param store the store's clock
 */
public record ClockSkew(Duration node, Duration store) {

  public static final ClockSkew NONE = new ClockSkew(Duration.ZERO, Duration.ZERO);
}
