package dev.colony.deploy.bench;

import dev.colony.blackboard.server.Fsync;

/**
 * What agents are to do.
 *
 * @param payloadBytes of each model reply
 * @param fsync when Redis brings an append to the disk
 */
public record StepsLoad(int agents, int steps, int payloadBytes, Fsync fsync) {}
