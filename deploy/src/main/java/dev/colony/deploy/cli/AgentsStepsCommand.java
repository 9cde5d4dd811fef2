package dev.colony.deploy.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.inspect.InspectedStep;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.agents.AgentsJson;
import dev.colony.deploy.agents.AgentsText;
import dev.colony.deploy.board.BoardJson;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows what an agent did last. */
@Command(
    name = "steps",
    mixinStandardHelpOptions = true,
    description = {
      "Shows the last steps of an agent, the oldest first, as far as the journal holds them.",
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

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    if (count < 1 || count > MOST) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "-n is %d, but must be 1 to %d".formatted(count, MOST));
    }
    List<InspectedStep> steps = board.withAgents(view -> view.steps(view.find(named.id()), count));
    if (json.given()) {
      System.out.println(
          BoardJson.line(
              JsonNodeFactory.instance
                  .objectNode()
                  .put("id", named.id().persistenceId())
                  .set("steps", AgentsJson.steps(steps))));
      return ExitCode.OK.status();
    }
    steps.forEach(step -> System.out.println(AgentsText.step(step)));
    if (steps.isEmpty()) {
      System.out.println("no steps");
    }
    return ExitCode.OK.status();
  }
}
