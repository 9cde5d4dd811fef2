package dev.colony.cli;

import dev.colony.agent.view.HistoryPage;
import dev.colony.agent.view.HistoryPosition;
import dev.colony.agent.view.StepView;
import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.server.agents.AgentViews.StepPage;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what an agent did last. */
@Command(
    name = "steps",
    mixinStandardHelpOptions = true,
    description = {
      "Shows the last steps of an agent, the oldest first, each with the number of its event.",
      "Long values are cut, except with --json.",
    })
final class AgentsStepsCommand implements Callable<Integer> {

  private static final int MOST = 1_000;

  @Mixin private AgentParameter named;

  @Option(
      names = "-n",
      paramLabel = "N",
      defaultValue = "20",
      description = "How many at most, 1 to 1000 (default: ${DEFAULT-VALUE}).")
  private int count;

  @Option(
      names = "--before",
      paramLabel = "PLACE",
      converter = AgentWords.Place.class,
      description = "Where the page before says that there are earlier ones.")
  private Optional<HistoryPosition> before;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    if (count < 1 || count > MOST) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "-n is %d, but must be 1 to %d".formatted(count, MOST));
    }
    HistoryPage page = board.withAgents(view -> view.steps(view.find(named.id()), before, count));
    List<StepView> steps = page.steps();
    Optional<String> earlier = page.older().map(HistoryPosition::token);
    if (json.given()) {
      System.out.println(Printable.line(WireJson.write(new StepPage(named.id(), steps, earlier))));
      return ExitCode.OK.status();
    }
    steps.forEach(step -> System.out.println(AgentsText.step(step)));
    if (steps.isEmpty()) {
      System.out.println("no steps");
    }
    earlier.ifPresent(place -> System.out.println("there are earlier ones: --before " + place));
    return ExitCode.OK.status();
  }
}
