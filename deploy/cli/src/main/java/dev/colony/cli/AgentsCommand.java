package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.server.agents.AgentFilter;
import dev.colony.server.agents.AgentViews.AgentPage;
import dev.colony.server.agents.AgentViews.AgentSummary;
import dev.colony.server.agents.AgentsReader;
import dev.colony.server.agents.ShownAgent;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists agents. */
@Command(
    name = "agents",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the agents with their states, a page of those to which all options apply.",
      "An AGENT is named tenant/colony/name. What is shown is read from the directory and the"
          + " journal: no agent notices it, and none needs to be in memory.",
    },
    subcommands = {
      AgentsTreeCommand.class,
      AgentsShowCommand.class,
      AgentsStepsCommand.class,
      AgentsPromptCommand.class,
      AgentsReviseCommand.class,
      AgentsPurgeCommand.class
    })
final class AgentsCommand implements Callable<Integer> {

  @Mixin private ColonyFilter of;

  @Option(
      names = "--in-state",
      paramLabel = "STATE",
      description = "Only agents in this state, for example suspended.")
  private Optional<AgentState> state;

  @Option(
      names = "--cause",
      paramLabel = "CAUSE",
      description = "Only agents that are suspended for this cause, for example approval.")
  private Optional<String> cause;

  @Option(
      names = "--policy",
      paramLabel = "TYPE",
      description = "Only agents whose blueprint has a policy of this type.")
  private Optional<String> policy;

  @Option(
      names = "--prefix",
      paramLabel = "NAME",
      defaultValue = "",
      description = "Only agents whose names begin so.")
  private String prefix;

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
    AgentFilter filter = filter();
    AgentsReader.Page<ShownAgent> agents =
        board.withAgents(view ->
            view.list(
                of.tenant(),
                of.colony(),
                filter,
                AgentsReader.PageSize.filled(most),
                after,
                Function.identity()));
    Optional<String> next = agents.next().map(AgentId::persistenceId);
    if (json.given()) {
      System.out.println(
          Printable.line(
              WireJson.write(
                  new AgentPage(agents.found().stream().map(AgentSummary::of).toList(), next))));
      return ExitCode.OK.status();
    }
    System.out.println(agents.found().isEmpty() ? "no agents" : AgentsText.table(agents.found()));
    next.ifPresent(id -> System.out.println("there are more: --after " + id));
    return ExitCode.OK.status();
  }

  private AgentFilter filter() {
    try {
      return new AgentFilter(prefix, policy, state, cause, false);
    } catch (IllegalArgumentException bad) {
      throw new CommandFailure(ExitCode.BAD_INPUT, bad.getMessage());
    }
  }
}
