package dev.colony.bench.query;

/**
 * What a benchmark of queries does.
 *
 * @param rounds in which the graph learns
 * @param questions of each round
 * @param kept questions that are kept apart and asked after each round, to learn nothing from them
 * @param seed of what is drawn
 * @param reading whether it is also measured what orders of pages and pages that are loaded ahead
 *     come to
 */
public record QueryLoad(int rounds, int questions, int kept, long seed, boolean reading) {}
