/**
 * The shell around the pure core: one sharded, event-sourced actor per agent, the readers of the
 * inbox, and the waker. Depends on Pekko, the pure core and the other modules' ports.
 */
package dev.colony.agent.entity;
