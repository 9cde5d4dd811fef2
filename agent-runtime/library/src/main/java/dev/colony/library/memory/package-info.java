/**
 * What an agent remembers: memories on its part of the blackboard, written by itself or by a hook
 * on what it does, and recalled by age or by salience. Source of the latter: Park et al.,
 * "Generative Agents: Interactive Simulacra of Human Behavior" (2023).
 */
package dev.colony.library.memory;
