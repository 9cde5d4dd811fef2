package dev.colony.server;

import static dev.colony.server.AgentsReader.join;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.clock.Deadline;
import dev.colony.journal.LostLogs;
import dev.colony.journal.LostLogs.Decision;
import dev.colony.journal.LostLogs.Lost;
import dev.colony.journal.LostLogs.Rollback;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * What the store has lost of agents' events that it had acknowledged, for those who operate a
 * cluster. Such an agent does nothing until it has been decided about. Blocks.
 */
public record LostEvents(LostLogs logs) {

  /** How long the nodes have to give back what they remember: many of their ticks. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration PAUSE = Duration.ofMillis(50);

  /** The agents of a tenant, or of all, by their names. */
  public List<Lost> list(Optional<String> tenant) {
    return join(logs.list()).stream()
        .filter(log -> tenant.isEmpty() || log.persistenceId().startsWith(tenant.get() + "/"))
        .sorted(Comparator.comparing(Lost::persistenceId))
        .toList();
  }

  /** When it was noticed last that the store had gone back; empty where it never was. */
  public Optional<Rollback> lastRollback() {
    return join(logs.lastRollback());
  }

  /** What is lost of one agent; empty where nothing is, or it has been decided about. */
  public Optional<Lost> find(AgentId agent) {
    return join(logs.find(agent.persistenceId()));
  }

  /**
   * Lets an agent go on from the older state.
   *
   * @throws AgentException in one line, if it has lost nothing
   */
  public Lost decide(AgentId agent, Decision decision) {
    Lost lost = lost(agent);
    if (!join(logs.decide(agent.persistenceId(), decision))) {
      throw none(agent);
    }
    return lost;
  }

  /**
   * Has the nodes give an agent back what they remember.
   *
   * @throws AgentException in one line, if it has lost nothing, or no node remembers all of it
   */
  public Lost restore(AgentId agent) {
    Lost lost = lost(agent);
    join(logs.restore(agent.persistenceId()));
    Deadline deadline = Deadline.in(PATIENCE);
    while (find(agent).isPresent()) {
      if (deadline.passed()) {
        join(logs.giveUpRestoring(agent.persistenceId()));
        throw AgentException.refused(
            "no node that is up remembers all that the store has lost of " + agent);
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
    return lost;
  }

  private Lost lost(AgentId agent) {
    return find(agent).orElseThrow(() -> none(agent));
  }

  private static AgentException none(AgentId agent) {
    return AgentException.refused("the store has lost no events of " + agent);
  }
}
