/**
 * Subscriptions over any ordered log of events that is also pushed: what arrives by push is handed
 * on, what was missed is read from the log, and a gap that cannot be filled is told. It knows no
 * backend.
 */
package dev.colony.blackboard.feed;
