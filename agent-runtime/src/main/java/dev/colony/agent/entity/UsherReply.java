package dev.colony.agent.entity;

/**
 * What the usher answers to a node that told its room.
 *
 * @param somebodyWaits whether some agent waits durably, so that it had better be told often
 */
record UsherReply(boolean somebodyWaits) {}
