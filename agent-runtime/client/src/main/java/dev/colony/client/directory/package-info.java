/**
 * Which agents there are, where each lives, what it is made of, which agent spawned it, and what
 * each last made known of its state. Depends on the blackboard's ports; knows no actor.
 */
package dev.colony.client.directory;
