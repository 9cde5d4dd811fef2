/**
 * The inbox's readers, and how each kind of message is taken to its agent: requests, news of
 * writes, signals. What cannot be delivered stays in the inbox. Depends on Pekko, {@code entity}'s
 * client, {@code home} and {@code resumption}.
 */
package dev.colony.node.inbox;
