/**
 * The page graph: which pages lead to which, as their text says at first, and as questions and
 * answers teach. Pure: time is an argument, nothing is stored or read here. Depends on pages and
 * their grouping only.
 *
 * <p>The weight of an edge is the mean of a beta distribution over whether its end answers a
 * question of its beginning; centrality is PageRank (Brin and Page, 1998), clusters come from label
 * propagation (Raghavan, Albert and Kumara, 2007).
 */
package dev.colony.vcm.graph;
