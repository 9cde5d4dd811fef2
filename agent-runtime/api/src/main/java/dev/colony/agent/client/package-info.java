/** What callers of agents use: a colony, its agents and runs, sessions, children. */
package dev.colony.agent.client;
