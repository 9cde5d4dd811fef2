/**
 * Where an agent that is about to go on had better live: the page table's policy, asked about one
 * agent and the layout of the cluster as it was a moment ago, and the agent asked to move there.
 */
package dev.colony.node.home;
