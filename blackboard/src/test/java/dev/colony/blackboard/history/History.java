package dev.colony.blackboard.history;

import dev.colony.blackboard.BlackboardEvent;
import java.util.List;

/**
 * What concurrent programs did to one scope, and all the events of it.
 *
 * @param attempts how often bodies of transactions were run
 */
record History(List<Execution> executions, List<BlackboardEvent> log, int attempts) {}
