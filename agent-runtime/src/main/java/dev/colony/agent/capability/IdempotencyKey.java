package dev.colony.agent.capability;

/** The same for every execution of one action, whatever crashed in between. */
public record IdempotencyKey(String value) {}
