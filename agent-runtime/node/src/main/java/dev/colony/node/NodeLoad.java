package dev.colony.node;

/**
 * How much a node's agents have under way and waiting, at one moment.
 *
 * @param atWork agents that hold a slot for agents at work
 * @param waiting agents that wait in memory for such a slot
 * @param delivering messages of the inbox that this node has taken to agents and that are not done
 *     with
 * @param computingWaiting actions that wait for a thread to compute on
 * @param abandonedThreads threads of actions that do not end although their time is over
 */
public record NodeLoad(
    int atWork, int waiting, int delivering, int computingWaiting, int abandonedThreads) {}
