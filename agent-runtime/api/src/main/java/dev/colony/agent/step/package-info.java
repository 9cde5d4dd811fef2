/**
 * One step of an agent's loop, seen from inside: what it makes durable while it runs and what it
 * has changed when it ends. Plain data and one port; the actor stands behind it.
 */
package dev.colony.agent.step;
