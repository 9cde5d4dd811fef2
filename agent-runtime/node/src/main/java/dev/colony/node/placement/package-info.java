/**
 * Placement, as Pekko asks for it: the page table's policy behind sharding's allocation strategy,
 * and the view of the cluster that the policy decides from.
 */
package dev.colony.node.placement;
