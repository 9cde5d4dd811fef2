package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.StepView;
import dev.colony.cli.CommandOptions.AgentParameter;
import dev.colony.cli.CommandOptions.ColonyFilter;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.SignalCommands.SignalOptions;
import dev.colony.cli.terminal.AgentsText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.http.WireJson;
import dev.colony.library.plan.PlanState;
import dev.colony.library.plan.PlanText;
import dev.colony.server.AgentViews.AgentDetails;
import dev.colony.server.AgentViews.AgentPage;
import dev.colony.server.AgentViews.AgentSummary;
import dev.colony.server.AgentViews.AgentTrees;
import dev.colony.server.AgentViews.StepPage;
import dev.colony.server.AgentsReader;
import dev.colony.server.AgentsReader.ShownTree;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.AgentFilter;
import dev.colony.server.ShownAgent.ShownCapability;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists agents. */
@Command(
    name = "agents",
    description = {
      "Lists the agents with their states, a page of those to which all options apply.",
      "An AGENT is named tenant/colony/name. What is shown is read from the directory and the"
          + " journal: no agent notices it, and none needs to be in memory.",
    },
    subcommands = {
      AgentsCommand.AgentsTreeCommand.class,
      AgentsCommand.AgentsShowCommand.class,
      AgentsCommand.AgentsStepsCommand.class,
      AgentsPromptCommand.class,
      AgentsCommand.AgentsReviseCommand.class,
      AgentsPurgeCommand.class
    })
final class AgentsCommand extends StoreCommand {

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

  @Option(names = "--after", paramLabel = "AGENT", description = "The last one of the page before.")
  private Optional<AgentId> after;

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
    return json.page(
        new AgentPage(agents.found().stream().map(AgentSummary::of).toList(), next),
        agents.found(),
        "no agents",
        AgentsText::table,
        next.map("there are more: --after "::concat));
  }

  private AgentFilter filter() {
    try {
      return new AgentFilter(prefix, policy, state, cause, false);
    } catch (IllegalArgumentException bad) {
      throw CommandFailure.badInput(bad.getMessage());
    }
  }

  /** Shows who spawned whom. */
  @Command(
      name = "tree",
      description = "Shows the agents with their states, each beneath the one that spawned it.")
  static final class AgentsTreeCommand extends StoreCommand {

    @Mixin private ColonyFilter of;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "1000",
        description = "How many agents are read at most, 1 to 10000 (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Override
    public Integer call() {
      CommandOptions.checkLimit(limit);
      AgentsReader.Some<ShownTree> trees =
          board.withAgents(view -> view.trees(of.tenant(), of.colony(), limit));
      return json.page(
          AgentTrees.of(trees),
          trees.found(),
          "no agents",
          AgentsText::trees,
          Optional.of("there are more: raise --limit").filter(line -> trees.more()));
    }
  }

  /** Shows one agent. */
  @Command(
      name = "show",
      description = "Shows an agent: its state, its runs, what it can do, what it did last.")
  static final class AgentsShowCommand extends StoreCommand {

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
        throw CommandFailure.unsuccessful(agent.id() + " has no plan");
      }
      return json.given()
          ? Printable.line(kept)
          : Printable.lines(
              String.join(
                  "\n", PlanText.lines((PlanState) JsonValues.read(kept, PlanState.class))));
    }
  }

  /** Shows what an agent did last. */
  @Command(
      name = "steps",
      description = {
        "Shows the last steps of an agent, the oldest first, each with the number of its event.",
        "Long values are cut, except with --json.",
      })
  static final class AgentsStepsCommand extends StoreCommand {

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
        description = "Where the page before says that there are earlier ones.")
    private Optional<HistoryPosition> before;

    @Override
    public Integer call() {
      CommandOptions.check("-n", count, 1, MOST);
      HistoryPage page = board.withAgents(view -> view.steps(view.find(named.id()), before, count));
      List<StepView> steps = page.steps();
      Optional<String> earlier = page.older().map(HistoryPosition::token);
      return json.lines(
          new StepPage(named.id(), steps, earlier),
          steps,
          "no steps",
          AgentsText::step,
          earlier.map("there are earlier ones: --before "::concat));
    }
  }

  /** Has an agent live by another blueprint. */
  @Command(
      name = "revise",
      description = {
        "Has an agent live by the blueprint that a file describes, from its next step on. The file"
            + " is checked first, as spawn does.",
        "Capabilities that stay keep what they have kept. An agent keeps its kind and its pages;"
            + " the name in the file makes no difference.",
      })
  static final class AgentsReviseCommand implements Callable<Integer> {

    @Parameters(
        index = "1",
        paramLabel = "FILE",
        description = "A blueprint as JSON; comments are fine.")
    private Path file;

    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        description = "For the agent's history, one line.")
    private String reason = "";

    @Mixin private SignalOptions options;

    @Override
    public Integer call() {
      AgentBlueprint blueprint = SpawnCommand.read(file).blueprint();
      return options.tell((agent, cluster) -> agent.revise(blueprint, reason));
    }
  }
}
