/**
 * The pure core of an agent: its state, the commands it is given, the events that are journaled,
 * and what is to be done next. No actor, no clock; of the blackboard, scopes, positions and events
 * only.
 *
 * <p>{@link dev.colony.core.lifecycle.Lifecycle} decides and applies (Chassaing, "Functional Event
 * Sourcing Decider"); {@link dev.colony.core.lifecycle.Effects} derives from the state alone what
 * work is under way, so that whatever a crash cut off is issued again by asking once more.
 */
package dev.colony.core.lifecycle;
