/**
 * An agent while it has something to do: what it is made of on this node, and its steps, each on a
 * thread of its own outside the actor. What comes of a step is told through {@link
 * dev.colony.node.activation.StepRunner.StepReports}. Depends on the pure core and the other
 * modules' ports; knows no actor.
 */
package dev.colony.node.activation;
