/**
 * The past of agents: how much of it is kept, what it was, and new agents that begin with it. Reads
 * journals and wakes no agent.
 */
package dev.colony.client.history;
