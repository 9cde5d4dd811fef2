package dev.colony.bench.gateway;

/**
 * What is measured.
 *
 * @param clients that each have one call under way
 * @param ops calls of each kind and way
 * @param perSecond calls at an even rate
 * @param streams open at once; 0 for none
 * @param replicaTime factor on the times of the replica that answers calls; 0 for one that takes
 *     none
 */
public record GatewayLoad(int clients, int ops, int perSecond, int streams, double replicaTime) {}
