/**
 * Hooks that ship with the runtime, each a capability to add to a blueprint: token totals and a
 * warning before a budget is used up, rate limits, checkpoints.
 */
package dev.colony.library.hook;
