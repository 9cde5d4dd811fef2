package dev.colony.blackboard.store;

import dev.colony.blackboard.Eviction;
import java.util.List;
import java.util.Optional;

/**
 * Changes that take effect all at once, in their order, if every expectation holds before them;
 * expired entries count as absent.
 *
 * @param changes possibly none: then only the expectations are checked
 * @param eviction applied after them
 */
public record Commit(
    String writer,
    List<CommitCondition> expectations,
    List<Change> changes,
    Optional<Eviction> eviction) {}
