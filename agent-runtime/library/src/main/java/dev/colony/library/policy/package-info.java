/**
 * Action policies, which decide an agent's next action, and what they show the model: the planning
 * context, the layers that render its sections, the tools that its actions are, the budget of each,
 * and consciousness streams (filtered, ordered records of slices of an agent's experience). Source:
 * the seed's pages on action policies, the base action policy and consciousness streams.
 */
package dev.colony.library.policy;
