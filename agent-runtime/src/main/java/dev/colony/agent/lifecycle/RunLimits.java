package dev.colony.agent.lifecycle;

/**
 * The bounds of an agent's work.
 *
 * @param maxSteps after which a run fails
 * @param maxQueuedRuns accepted and unfinished, the executing one included; further ones are
 *     refused
 * @param rememberedRuns how many finished runs an agent knows again by itself
 * @param maxOutputBytes of a run's output, a model's reply, an action's parameters and its result,
 *     about
 */
public record RunLimits(int maxSteps, int maxQueuedRuns, int rememberedRuns, int maxOutputBytes) {}
