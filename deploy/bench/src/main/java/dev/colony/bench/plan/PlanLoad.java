package dev.colony.bench.plan;

/**
 * What is measured.
 *
 * @param parts that the plan works on, each with two pages
 * @param rounds over all parts; an action for each part and round
 * @param steps of each agent whose prompts are held against each other
 * @param tasks that are finished, by either policy
 */
public record PlanLoad(int parts, int rounds, int steps, int tasks) {}
