/**
 * Pages and maps on a blackboard, content-addressed. Depends on the blackboard's port, not on any
 * backend.
 */
package dev.colony.vcm.store;
