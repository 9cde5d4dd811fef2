package dev.colony.agent.room;

import com.fasterxml.jackson.annotation.JsonTypeName;

/**
 * What the usher answers to a node that told its room.
 *
 * @param somebodyWaits whether some agent waits durably, so that it had better be told often
 */
@JsonTypeName("capacity-report-reply")
record UsherReply(boolean somebodyWaits) {}
