package dev.colony.inference.admission;

/**
 * What a tenant may have of a node's model calls.
 *
 * @param weight of two tenants that both have calls waiting, one with twice the weight gets twice
 *     the tokens; 1 to 10,000
 * @param maxWaiting calls that wait
 * @param maxRunning calls that are being answered
 */
public record TenantShare(int weight, int maxWaiting, int maxRunning) {}
