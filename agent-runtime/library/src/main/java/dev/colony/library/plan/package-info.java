/**
 * Plans, and the policy that makes them with a model and carries them out.
 *
 * <p>The plan's tree, its order and what is to be done next ({@link
 * dev.colony.library.plan.PlanMachine}) need no model, clock or I/O. The loop is model-predictive
 * control (Garcia, Prett and Morari, 1989): plan, carry out the next few actions, hold what they
 * came to against what was expected, and plan again where it deviates. Source of the policy: the
 * seed's pages on {@code CacheAwareActionPolicy}, model-predictive control and replanning.
 */
package dev.colony.library.plan;
