/**
 * What the examples share that work on a mapped source tree: mapping it, agents from blueprint
 * files, a policy that has a model look at one piece after another, and checking what it quotes.
 */
package dev.colony.examples.mapped;
