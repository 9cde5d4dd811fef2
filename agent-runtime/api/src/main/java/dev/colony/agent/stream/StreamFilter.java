package dev.colony.agent.stream;

/**
 * Decides membership: whether a stream takes an entry. Pure; registered and bound as a blueprint.
 */
@FunctionalInterface
public interface StreamFilter {

  boolean accepts(StreamEntry entry);
}
