/**
 * What authors of agents write: policies, capabilities, hooks, and the agent that these are parts
 * of.
 */
package dev.colony.agent.author;
