package dev.colony.core.dispatch;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import java.util.Map;
import org.slf4j.MDC;

/**
 * The names that every line carries that is logged by a piece of work: those of the agent and of
 * the run that it is done for, in the mapped diagnostic context. It belongs to a thread, so code
 * that hands work to another thread hands the names on with it. Immutable.
 *
 * @param names by their keys
 */
public record LogNames(Map<String, String> names) {

  /** Under which an agent stands: tenant, colony and name, with slashes. */
  public static final String AGENT = "agent";

  /** Under which the id of a run stands. */
  public static final String RUN = "run";

  public LogNames {
    names = Map.copyOf(names);
  }

  /** Of work for an agent, outside any run. */
  public static LogNames of(AgentId agent) {
    return new LogNames(Map.of(AGENT, agent.toString()));
  }

  /** Of work for a run. */
  public static LogNames of(AgentId agent, RunId run) {
    return new LogNames(Map.of(AGENT, agent.toString(), RUN, run.value()));
  }

  /** Those of the work that this thread does now. */
  public static LogNames here() {
    Map<String, String> now = MDC.getCopyOfContextMap();
    return new LogNames(now == null ? Map.of() : now);
  }

  /** The same task under these names, on whichever thread; the thread has its own back after it. */
  public Runnable on(Runnable task) {
    return () -> run(task);
  }

  /** Does it under these names at once. */
  public void run(Runnable task) {
    Map<String, String> before = MDC.getCopyOfContextMap();
    MDC.setContextMap(names);
    try {
      task.run();
    } finally {
      if (before == null) {
        MDC.clear();
      } else {
        MDC.setContextMap(before);
      }
    }
  }
}
