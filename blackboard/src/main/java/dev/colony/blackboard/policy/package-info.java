/**
 * The policies of a board: who may touch which key, which values are valid, which entries go when
 * there are too many. Pure, but for {@link dev.colony.blackboard.Eviction}, which the backends
 * carry out.
 */
package dev.colony.blackboard.policy;
