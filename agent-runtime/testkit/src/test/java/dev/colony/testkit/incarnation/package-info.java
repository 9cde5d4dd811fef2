/** Explores what two incarnations of one agent can come to, over the pure core as it is. */
package dev.colony.testkit.incarnation;
