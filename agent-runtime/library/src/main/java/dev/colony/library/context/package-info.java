/**
 * What an agent is told and what it remembers. Role-scoped prompt context: what stands on a stage,
 * projected from the events of a scope, and the layers that make a prompt of it for one agent in
 * one role; source: the seed's context builder. Memories on the agent's part of the blackboard,
 * written by itself or by a hook on what it does, and recalled by age or by salience; source of the
 * latter: Park et al., "Generative Agents: Interactive Simulacra of Human Behavior" (2023).
 */
package dev.colony.library.context;
