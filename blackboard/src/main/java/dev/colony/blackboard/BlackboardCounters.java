package dev.colony.blackboard;

/**
 * What was asked of the backend since a blackboard was opened, whatever became of it. A
 * transaction's reads, writes and deletes count at each of its attempts.
 *
 * @param reads entries asked for by key
 * @param queries pages asked for
 * @param writes entries to be written
 * @param deletes entries to be deleted
 * @param clears clearings of the scope
 * @param conflicts calls of write, send or writeAll that found another version than expected
 * @param commits transactions that took effect
 * @param retries transactions' bodies run again after a conflict
 * @param concurrentModifications transactions that gave up
 * @param refusals calls refused by a policy
 * @param failures calls that the backend could not carry out; those of a transaction too
 * @param events events handed to subscribers
 */
public record BlackboardCounters(
    long reads,
    long queries,
    long writes,
    long deletes,
    long clears,
    long conflicts,
    long commits,
    long retries,
    long concurrentModifications,
    long refusals,
    long failures,
    long events) {}
