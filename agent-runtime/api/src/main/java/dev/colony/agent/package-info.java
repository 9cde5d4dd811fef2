/**
 * Agents: who they are, how they are described, how they are run, and what a policy or a capability
 * has to implement.
 *
 * <p>This root package is the public API. It depends on the other modules' root packages and on
 * Jackson's tree model; it knows no actor. A program that only starts runs needs {@link
 * dev.colony.agent.client.Colony} and a blackboard, in or outside the cluster.
 *
 * <p>The loop of policy and capability follows the sense, plan, act cycle of Russell and Norvig,
 * "Artificial Intelligence"; durable steps under replay follow Garcia-Molina and Salem, "Sagas"
 * (1987), and event sourcing.
 */
package dev.colony.agent;
