/**
 * Plans: their tree, their order and what is to be done next, without a model, a clock or I/O. The
 * loop is model-predictive control (Garcia, Prett and Morari, 1989): plan, carry out the next few
 * actions, hold what they came to against what was expected, and plan again where it deviates. Uses
 * the agent's API and JSON schemas only.
 */
package dev.colony.library.plan;
