package dev.colony.blackboard;

import java.time.Instant;

/**
 * A request that could not be delivered and was taken out of the inbox.
 *
 * @param id names it among the dead letters of its bucket
 * @param request with the id that it has here, not the one that it had in the inbox
 * @param reason one line
 * @param deliveries how many deliveries failed
 * @param first when the first of them did, by the cluster time
 * @param last when the last of them did
 * @param at when it was taken out of the inbox
 */
public record DeadLetter(
    int bucket,
    String id,
    InboxMessage.Request request,
    String reason,
    long deliveries,
    Instant first,
    Instant last,
    Instant at) {}
