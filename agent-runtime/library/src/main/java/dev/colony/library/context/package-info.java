/**
 * Role-scoped prompt context: what stands on a stage, projected from the events of a scope, and the
 * layers that make a prompt of it for one agent in one role. Source: the seed's context builder.
 * Pure but for {@link dev.colony.library.context.Stage}, which reads the blackboard.
 */
package dev.colony.library.context;
