/**
 * Measures what a durable step costs: agents with a scripted policy, a fake model within the
 * process, everything else as in earnest.
 */
package dev.colony.testkit.load;
