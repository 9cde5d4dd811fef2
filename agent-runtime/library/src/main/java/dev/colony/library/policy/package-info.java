/**
 * Action policies: what decides an agent's next action. Source: the seed's pages on action policies
 * and the base action policy.
 */
package dev.colony.library.policy;
