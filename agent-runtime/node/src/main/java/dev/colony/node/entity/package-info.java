/**
 * The shell around the pure core: one sharded, event-sourced actor per agent. It journals what
 * {@link dev.colony.core.lifecycle} decides, and has done what follows from it. Others reach agents
 * through {@link dev.colony.node.entity.EntityClient} only. Depends on Pekko, the pure core, {@code
 * activation} and {@code admission}; knows neither the inbox nor who wakes agents.
 */
package dev.colony.node.entity;
