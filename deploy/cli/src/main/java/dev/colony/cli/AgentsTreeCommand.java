package dev.colony.cli;

import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.server.agents.AgentViews.AgentTrees;
import dev.colony.server.agents.AgentsReader;
import dev.colony.server.agents.AgentsReader.ShownTree;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows who spawned whom. */
@Command(
    name = "tree",
    mixinStandardHelpOptions = true,
    description = "Shows the agents with their states, each beneath the one that spawned it.")
final class AgentsTreeCommand implements Callable<Integer> {

  @Mixin private ColonyFilter of;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many agents are read at most, 1 to 10000 (default: ${DEFAULT-VALUE}).")
  private int limit;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    BoardOptions.checkLimit(limit);
    AgentsReader.Some<ShownTree> trees =
        board.withAgents(view -> view.trees(of.tenant(), of.colony(), limit));
    if (json.given()) {
      System.out.println(Printable.line(WireJson.write(AgentTrees.of(trees))));
      return ExitCode.OK.status();
    }
    System.out.println(trees.found().isEmpty() ? "no agents" : AgentsText.trees(trees.found()));
    if (trees.more()) {
      System.out.println("there are more: raise --limit");
    }
    return ExitCode.OK.status();
  }
}
