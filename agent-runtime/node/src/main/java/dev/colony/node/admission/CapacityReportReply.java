package dev.colony.node.admission;

import com.fasterxml.jackson.annotation.JsonTypeName;

/**
 * What the admission scheduler answers to a node that told its capacity.
 *
 * @param agentsWait whether some agent waits durably, so that it had better be told often
 */
@JsonTypeName("capacity-report-reply")
record CapacityReportReply(boolean agentsWait) {}
