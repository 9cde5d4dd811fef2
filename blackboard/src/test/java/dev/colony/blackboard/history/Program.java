package dev.colony.blackboard.history;

import java.util.List;

/**
 * What one thread does at one go.
 *
 * @param transaction whether the steps are one transaction; otherwise each is a call of its own
 */
record Program(boolean transaction, List<Step> steps) {}
