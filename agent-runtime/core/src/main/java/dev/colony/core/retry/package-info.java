/**
 * What is tried again: operations for as long as a store cannot be reached, and actors that have
 * failed. Depends on Pekko and on the exceptions of journal and blackboard.
 */
package dev.colony.core.retry;
