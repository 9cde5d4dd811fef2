package dev.colony.core.lifecycle;

import java.time.Duration;

/**
 * The bounds of what waits.
 *
 * @param afterWaiting how long a run waits in memory before its agent is suspended
 * @param approvals that one run is told, at most
 * @param withoutPages how long an agent that has come to have work waits for pages that went while
 *     it had none, from when they went
 */
public record SuspensionLimits(Duration afterWaiting, int approvals, Duration withoutPages) {}
