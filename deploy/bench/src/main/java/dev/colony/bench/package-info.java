/**
 * What {@code ./colony bench} measures, each figure beside a ceiling or a peer of the same run: the
 * steps of agents, nodes that end, agents that go on, leases, the gateway, answers with a key.
 */
package dev.colony.bench;
