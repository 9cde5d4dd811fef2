package dev.colony.blackboard;

/**
 * What was done since a blackboard was opened, failures included.
 *
 * @param reads entries asked for by key
 * @param queries pages asked for
 * @param writes entries written, in transactions too
 * @param deletes deletions asked for
 * @param clears clearings asked for
 * @param conflicts writes that were not at the expected version
 * @param commits transactions that took effect
 * @param retries transactions' bodies run again after a conflict
 * @param concurrentModifications transactions that gave up
 * @param refusals calls refused by a policy
 * @param failures calls that the backend could not carry out
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
