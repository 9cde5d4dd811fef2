package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.colony.agent.view.StepView;
import dev.colony.cli.agents.AgentsText;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.library.plan.PlanSettings;
import dev.colony.library.plan.PlanState;
import dev.colony.library.plan.PlanText;
import dev.colony.schema.JsonValues;
import dev.colony.server.agents.AgentViews.AgentDetails;
import dev.colony.server.agents.ShownAgent;
import dev.colony.server.agents.ShownCapability;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows one agent. */
@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    description = "Shows an agent: its state, its runs, what it can do, what it did last.")
final class AgentsShowCommand implements Callable<Integer> {

  private static final int LAST_STEPS = 5;

  @Mixin private AgentParameter named;

  @Option(
      names = "--at",
      paramLabel = "N",
      description = "As it was after the event of this number, which agents steps shows.")
  private Optional<Long> at;

  @Option(
      names = "--plan",
      description = "Only the tree of its plan, with position, revisions and their reasons.")
  private boolean plan;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    String shown =
        board.withAgents(view -> {
          ShownAgent now = view.find(named.id());
          ShownAgent agent = at.map(number -> view.at(now, number)).orElse(now);
          if (plan) {
            return plan(agent);
          }
          List<ShownCapability> capabilities = view.capabilities(agent);
          List<StepView> steps = view.steps(agent, Optional.empty(), LAST_STEPS).steps();
          return json.given()
              ? Printable.line(WireJson.write(AgentDetails.of(agent, capabilities, steps)))
              : AgentsText.whole(agent, capabilities, steps);
        });
    System.out.println(shown);
    return ExitCode.OK.status();
  }

  private String plan(ShownAgent agent) {
    JsonNode kept =
        agent
            .journal()
            .map(known -> known.memory().entries().path(PlanText.ENTRY))
            .orElseGet(MissingNode::getInstance);
    if (!kept.isObject()) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, agent.id() + " has no plan");
    }
    return json.given()
        ? Printable.line(kept)
        : Printable.lines(
            String.join(
                "\n",
                PlanText.lines(
                    (PlanState) JsonValues.read(kept, PlanState.class), PlanSettings.installed())));
  }
}
