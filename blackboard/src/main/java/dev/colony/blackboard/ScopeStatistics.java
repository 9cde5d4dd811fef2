package dev.colony.blackboard;

import java.util.Map;

/**
 * What a scope holds.
 *
 * @param entries how many entries, expired ones not yet removed included
 * @param events how many events are stored
 * @param head the position of the newest event
 * @param subscriptions the durable ones, with what each last acknowledged
 */
public record ScopeStatistics(
    long entries, long events, Position head, Map<String, Position> subscriptions) {}
