package dev.colony.agent.author;

/** The same for every execution of one action, whatever crashed in between. */
public record IdempotencyKey(String value) {}
