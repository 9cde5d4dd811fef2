/**
 * The time that all processes of a deployment share. It depends on the JDK and the configuration
 * library alone; where the shared part of it is kept is behind {@link
 * dev.colony.blackboard.clock.ClusterClock.TimeStore}.
 *
 * <p>Clocks that can be stepped are asked for nothing but the beginning: from then on time goes on
 * as the monotonic clocks of the processes do, of which the fastest leads, as in Lamport, "Time,
 * Clocks, and the Ordering of Events in a Distributed System" (1978), section on physical clocks;
 * what separates it from the store's clock is made good by rate, as adjtime(2) does.
 */
package dev.colony.blackboard.clock;
