/**
 * Executing actions: from what a policy has chosen to what it is told. Resolves references, holds
 * parameters against their schemas, runs capabilities' code on threads that it may lose, and bounds
 * all that comes back. Knows no actor: the step's journal and the blackboard are ports. Source: the
 * seed's pages on action policies.
 */
package dev.colony.core.dispatch;
