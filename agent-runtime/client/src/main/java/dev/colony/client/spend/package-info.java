/**
 * What model calls take, summed on the blackboard over all nodes. Depends on the blackboard and the
 * gateway's budgets.
 */
package dev.colony.client.spend;
