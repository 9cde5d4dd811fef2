package dev.colony.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.node.retention.EndedAgents;
import dev.colony.node.retention.PurgeReply;
import dev.colony.server.agents.AgentViews.PurgedAgents;
import dev.colony.server.agents.AgentsReader;
import dev.colony.server.agents.Purging;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes what stopped and failed agents have left. */
@Command(
    name = "purge",
    mixinStandardHelpOptions = true,
    description = {
      "Deletes all that stopped and failed agents have left: journal, snapshots, entries on the"
          + " blackboard, their entries in the directory. It cannot be taken back.",
      "An agent that has not ended is refused: stop it first.",
    })
final class AgentsPurgeCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..1",
      paramLabel = "AGENT",
      converter = AgentWords.Id.class,
      description = "tenant/colony/name; without one, all of --tenant and --colony.")
  private Optional<AgentId> agent;

  @Mixin private PurgeOptions options;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    if (agent.isPresent() == options.ofColonies()) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "name one AGENT, or give --tenant, --colony or both");
    }
    List<PurgeReply> replies = board.withAgents(this::purge);
    List<PurgeReply> gone = replies.stream().filter(PurgeReply.Purged.class::isInstance).toList();
    if (json.given()) {
      ObjectNode line = WireJson.write(PurgedAgents.of(replies, Optional.empty()));
      System.out.println(Printable.line(line.put("dryRun", options.dryRun())));
    } else {
      gone.forEach(
          one -> System.out.println(options.done() + Printable.of(one.agent().persistenceId())));
      System.out.printf(
          "%s%d agents, kept %d%n", options.done(), gone.size(), replies.size() - gone.size());
    }
    return ExitCode.OK.status();
  }

  private List<PurgeReply> purge(AgentsReader view) {
    Purging purging = view.purging();
    if (agent.isPresent()) {
      purging.agent(agent.get(), options.olderThan(), options.dryRun());
      return List.of(new PurgeReply.Purged(agent.get()));
    }
    List<PurgeReply> replies = new ArrayList<>();
    options.<String>eachPage(
        view,
        (colony, after) -> {
          EndedAgents.Page page =
              purging.agents(
                  colony.tenant(),
                  colony.colony().orElseThrow(),
                  after,
                  options.olderThan(),
                  options.dryRun());
          replies.addAll(page.agents());
          return page.next();
        });
    return replies;
  }
}
