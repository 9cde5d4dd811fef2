package dev.colony.blackboard.history;

import dev.colony.blackboard.BlackboardEvent;
import java.util.List;

/**
 * What concurrent programs did to one scope, and all the events of it.
 *
 * @param retried whether a transaction was run again after a conflict
 */
record History(List<Execution> executions, List<BlackboardEvent> log, boolean retried) {}
