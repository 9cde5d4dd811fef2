package dev.colony.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.cli.CommandOptions.PurgeOptions;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.http.WireJson;
import dev.colony.node.runtime.EndedAgents;
import dev.colony.server.AgentViews.PurgedAgents;
import dev.colony.server.AgentsReader;
import dev.colony.server.Purging;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Deletes what stopped and failed agents have left. */
@Command(
    name = "purge",
    description = {
      "Deletes all that stopped and failed agents have left: journal, snapshots, entries on the"
          + " blackboard, their entries in the directory. It cannot be taken back.",
      "An agent that has not ended is refused: stop it first.",
    })
final class AgentsPurgeCommand extends StoreCommand {

  @Parameters(
      arity = "0..1",
      paramLabel = "AGENT",
      description = "tenant/colony/name; without one, all of --tenant and --colony.")
  private Optional<AgentId> agent;

  @Mixin private PurgeOptions options;

  @Override
  public Integer call() {
    if (agent.isPresent() == options.ofColonies()) {
      throw CommandFailure.badInput("name one AGENT, or give --tenant, --colony or both");
    }
    List<EndedAgents.PurgeReply> replies = board.withAgents(this::purge);
    List<EndedAgents.PurgeReply> gone =
        replies.stream().filter(EndedAgents.PurgeReply.Purged.class::isInstance).toList();
    ObjectNode form = WireJson.write(PurgedAgents.of(replies, Optional.empty()));
    return json.lines(
        form.put("dryRun", options.dryRun()),
        gone,
        "",
        one -> options.done() + Printable.of(one.agent().persistenceId()),
        Optional.of(
            "%s%d agents, kept %d"
                .formatted(options.done(), gone.size(), replies.size() - gone.size())));
  }

  private List<EndedAgents.PurgeReply> purge(AgentsReader view) {
    Purging purging = view.purging();
    if (agent.isPresent()) {
      purging.agent(agent.get(), options.olderThan(), options.dryRun());
      return List.of(new EndedAgents.PurgeReply.Purged(agent.get()));
    }
    List<EndedAgents.PurgeReply> replies = new ArrayList<>();
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
