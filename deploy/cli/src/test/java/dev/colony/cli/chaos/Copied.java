package dev.colony.cli.chaos;

import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.blackboard.server.RedisServerProcess;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.journal.JournalReader.Stored;
import dev.colony.server.node.NodeConfig;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a copy of a cluster's Redis says of its agents' runs, before any node works on it.
 *
 * @param accepted by agent, in their order
 * @param ended whose result was journaled
 * @param intended external actions that had begun, or were about to
 */
record Copied(Map<AgentId, List<RunId>> accepted, Set<RunId> ended, Set<Place> intended) {

  /** An action of a run. */
  record Place(String run, String actionId) {
    static Place of(Deed deed) {
      return new Place(deed.run(), Errand.actionId(deed.step()));
    }
  }

  /**
   * Reads it with a server of its own, which has ended when this returns.
   *
   * @param redis the server's folder
   */
  static Copied read(Path redis, Iterable<AgentId> agents) {
    Config config = NodeConfig.base(Optional.empty());
    RedisServerProcess server = RedisServerProcess.ensure(ServerSettings.fromConfig(config, redis));
    try {
      return of(ChaosCluster.journals(server.uri(), config, agents));
    } finally {
      server.stop();
    }
  }

  private static Copied of(Map<AgentId, List<Stored>> journals) {
    Copied copied = new Copied(new HashMap<>(), new HashSet<>(), new HashSet<>());
    journals.forEach(copied::add);
    return copied;
  }

  /** Runs are worked off in order, so that an event of an action is of the first one. */
  private void add(AgentId agent, List<Stored> journal) {
    Deque<RunId> open = new ArrayDeque<>();
    List<RunId> runs = accepted.computeIfAbsent(agent, any -> new ArrayList<>());
    for (Stored stored : journal) {
      switch (stored.content()) {
        case AgentEvent.RunAccepted asked -> {
          open.add(asked.request().runId());
          runs.add(asked.request().runId());
        }
        case AgentEvent.ActionIntended action ->
            intended.add(new Place(open.getFirst().value(), action.action().actionId()));
        case AgentEvent.ActionBegun action ->
            intended.add(new Place(open.getFirst().value(), action.action().actionId()));
        case AgentEvent.RunCompleted completed -> {
          open.remove(completed.run().runId());
          ended.add(completed.run().runId());
        }
        default -> {}
      }
    }
  }

  Set<RunId> runs() {
    Set<RunId> runs = new HashSet<>();
    accepted.values().forEach(runs::addAll);
    return runs;
  }
}
