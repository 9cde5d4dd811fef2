/**
 * An agent that says what a change would break: what depends on the symbols that change is found by
 * the tools over mapped pages, what becomes of each place is judged by a model.
 */
package dev.colony.examples.impact;
