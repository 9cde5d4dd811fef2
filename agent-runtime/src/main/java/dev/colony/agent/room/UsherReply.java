package dev.colony.agent.room;

/**
 * What the usher answers to a node that told its room.
 *
 * @param somebodyWaits whether some agent waits durably, so that it had better be told often
 */
record UsherReply(boolean somebodyWaits) {}
