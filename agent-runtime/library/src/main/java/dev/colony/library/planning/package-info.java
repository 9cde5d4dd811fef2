/**
 * The policy that makes plans with a model and carries them out: it asks, performs, writes down and
 * waits; what a plan needs next is decided in {@link dev.colony.library.plan}. Source: the seed's
 * pages on {@code CacheAwareActionPolicy}, model-predictive control and replanning.
 */
package dev.colony.library.planning;
