/**
 * What {@code ./colony bench} measures, each figure beside a ceiling or a peer of the same run: the
 * steps of agents, nodes that end, agents that go on, leases, the blackboard, the gateway, answers
 * with a key. The scheduler is held against published policies in a simulator of replicas.
 */
package dev.colony.bench;
