package dev.colony.server;

import static dev.colony.server.AgentsReader.join;

import com.typesafe.config.Config;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.journal.JournalReader;
import dev.colony.journal.JournalRemoval;
import dev.colony.node.runtime.EndedAgents;
import dev.colony.node.runtime.EndedAgents.EndedRuns;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** Purges what has ended before its time is over, for those who operate a cluster. Blocks. */
public final class Purging {

  /** Agents or scopes of one page. */
  public static final int PAGE = 200;

  private final EndedAgents agents;
  private final EndedRuns runs;
  private final InstantSource clock;

  Purging(Blackboards blackboards, JournalReader journal, Config config) {
    ChildRegistry nursery =
        new ChildRegistry(
            blackboards,
            HomeResolver.byHash(config.getInt("colony.agent.placement-units")),
            Settings.read(ChildrenSettings.class, config));
    JournalRemoval removal = journal.removal();
    this.agents =
        new EndedAgents(
            blackboards, nursery, new EndedAgents.Journals(removal::outstanding, removal::remove));
    this.runs = new EndedRuns(blackboards);
    this.clock = blackboards.clock();
  }

  /**
   * Purges one agent.
   *
   * @throws AgentException in one line, if it may not go
   */
  public void agent(AgentId agent, Duration olderThan, boolean dryRun) {
    if (join(agents.purge(agent, ended(olderThan), dryRun))
        instanceof EndedAgents.PurgeReply.Kept kept) {
      throw AgentException.refused(kept.reason());
    }
  }

  /** Purges those of a page of a colony's agents that may go. */
  public EndedAgents.Page agents(
      String tenant, String colony, Optional<String> after, Duration olderThan, boolean dryRun) {
    return join(agents.purge(tenant, colony, PAGE, after, ended(olderThan), dryRun));
  }

  public EndedRuns.Page runs(
      String tenant, String colony, Optional<Scope> after, Duration olderThan, boolean dryRun) {
    return join(runs.purge(tenant, colony, after, PAGE, ended(olderThan), dryRun));
  }

  private Instant ended(Duration olderThan) {
    // Of what has ended just now another process may say that it is still to come.
    return olderThan.isZero() ? Instant.MAX : clock.instant().minus(olderThan);
  }
}
