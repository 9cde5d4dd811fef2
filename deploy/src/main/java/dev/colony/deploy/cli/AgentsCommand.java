package dev.colony.deploy.cli;

import dev.colony.agent.AgentId;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.agents.AgentsJson;
import dev.colony.deploy.agents.AgentsText;
import dev.colony.deploy.agents.AgentsView;
import dev.colony.deploy.agents.ShownAgent;
import dev.colony.deploy.board.BoardJson;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists agents. */
@Command(
    name = "agents",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the agents with their states.",
      "An AGENT is named tenant/colony/name. What is shown is read from the directory and the"
          + " journal: no agent notices it, and none needs to be in memory.",
    },
    subcommands = {
      AgentsTreeCommand.class,
      AgentsShowCommand.class,
      AgentsStepsCommand.class,
      AgentsPurgeCommand.class
    })
final class AgentsCommand implements Callable<Integer> {

  @Mixin private ColonyFilter of;

  @Mixin private LimitOption limit;

  @Option(
      names = "--after",
      paramLabel = "AGENT",
      converter = AgentWords.Id.class,
      description = "The last one of the page before.")
  private Optional<AgentId> after;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    int most = limit.checked();
    AgentsView.Some<ShownAgent> agents =
        board.withAgents(view -> view.list(of.tenant(), of.colony(), most, after));
    Optional<String> next =
        agents.more()
            ? Optional.of(agents.found().getLast().id().persistenceId())
            : Optional.empty();
    if (json.given()) {
      System.out.println(
          BoardJson.line(BoardJson.page("agents", agents.found(), AgentsJson::agent, next)));
      return ExitCode.OK.status();
    }
    System.out.println(agents.found().isEmpty() ? "no agents" : AgentsText.table(agents.found()));
    next.ifPresent(id -> System.out.println("there are more: --after " + id));
    return ExitCode.OK.status();
  }
}
