package dev.colony.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.author.JsonValues;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.StepView;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.cli.BoardOptions.ColonyOptions.ReachedColony;
import dev.colony.cli.CommandOptions.AgentParameter;
import dev.colony.cli.CommandOptions.ColonyFilter;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.CommandOptions.PurgeOptions;
import dev.colony.cli.SignalCommands.TellCommand;
import dev.colony.cli.terminal.AgentsText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.SignalSender;
import dev.colony.cli.terminal.SignalSender.SignalResult;
import dev.colony.client.wire.WireJson;
import dev.colony.library.plan.PlanState;
import dev.colony.library.plan.PlanText;
import dev.colony.library.policy.PlanningPrompt.KeptPrompt;
import dev.colony.library.policy.PromptSection;
import dev.colony.node.runtime.EndedAgents;
import dev.colony.server.AgentViews.AgentDetails;
import dev.colony.server.AgentViews.AgentPage;
import dev.colony.server.AgentViews.AgentSummary;
import dev.colony.server.AgentViews.AgentTrees;
import dev.colony.server.AgentViews.PurgedAgents;
import dev.colony.server.AgentViews.StepPage;
import dev.colony.server.AgentsReader;
import dev.colony.server.AgentsReader.ShownTree;
import dev.colony.server.Purging;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.AgentFilter;
import dev.colony.server.ShownAgent.ShownCapability;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
      AgentsCommand.AgentsPromptCommand.class,
      AgentsCommand.AgentsReviseCommand.class,
      AgentsCommand.AgentsPurgeCommand.class
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
                of.tenant,
                of.colony,
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
          board.withAgents(view -> view.trees(of.tenant, of.colony, limit));
      return json.page(
          AgentTrees.of(trees),
          trees.found(),
          "no agents",
          AgentsText::trees,
          Optional.of("there are more: raise --limit").filter(line -> trees.more()));
    }
  }

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
            ShownAgent now = view.find(named.id);
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
      PlanState plan =
          agent.plan().orElseThrow(() -> CommandFailure.unsuccessful(agent.id() + " has no plan"));
      return json.given()
          ? Printable.line(JsonValues.toJson(plan))
          : Printable.lines(String.join("\n", PlanText.lines(plan)));
    }
  }

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
      HistoryPage page = board.withAgents(view -> view.steps(view.find(named.id), before, count));
      List<StepView> steps = page.steps();
      Optional<String> earlier = page.older().map(HistoryPosition::token);
      return json.lines(
          new StepPage(named.id, steps, earlier),
          steps,
          "no steps",
          AgentsText::step,
          earlier.map("there are earlier ones: --before "::concat));
    }
  }

  @Command(
      name = "revise",
      description = {
        "Has an agent live by the blueprint that a file describes, from its next step on. The file"
            + " is checked first, as spawn does.",
        "Capabilities that stay keep what they have kept. An agent keeps its kind and its pages;"
            + " the name in the file makes no difference.",
      })
  static final class AgentsReviseCommand extends TellCommand {

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

    private AgentBlueprint blueprint;

    /** The file is refused before anything is connected. */
    @Override
    public Integer call() {
      blueprint = SpawnCommand.read(file).blueprint();
      return super.call();
    }

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.revise(blueprint, reason);
    }
  }

  @Command(
      name = "purge",
      description = {
        "Deletes all that stopped and failed agents have left: journal, snapshots, entries on the"
            + " blackboard, their entries in the directory. It cannot be taken back.",
        "An agent that has not ended is refused: stop it first.",
      })
  static final class AgentsPurgeCommand extends StoreCommand {

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
          form.put("dryRun", options.dryRun),
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
        purging.agent(agent.get(), options.olderThan(), options.dryRun);
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
                    options.dryRun);
            replies.addAll(page.agents());
            return page.next();
          });
      return replies;
    }
  }

  @Command(
      name = "prompt",
      description = {
        "Shows the planning prompt of a step, section by section: what each takes, what was cut,"
            + " and how much of the prompt the replica had in its cache.",
        "The latest steps have theirs, for an hour.",
      })
  static final class AgentsPromptCommand extends StoreCommand {

    /** As many as a policy keeps at most. */
    private static final int MOST = 10_000;

    /** What {@code --json} prints. */
    record Prompts(AgentId agentId, List<KeptPrompt> prompts) {}

    @Mixin private AgentParameter named;

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "STEP",
        description = "Of the run that was asked last, from 0 (default: the latest).")
    private Optional<Integer> step;

    @Override
    public Integer call() {
      AgentId agent = named.id;
      List<Entry> latest =
          board
              .ask(
                  agent.scope().namespace(KeptPrompt.NAMESPACE),
                  opened -> opened.query(Query.keys("step-*").limit(MOST)))
              .entries()
              .stream()
              .sorted(Comparator.comparing(Entry::updatedAt))
              .toList();
      if (latest.isEmpty()) {
        throw CommandFailure.unsuccessful(
            "no prompt of " + agent + " is kept: it has not planned, or not lately");
      }
      List<KeptPrompt> prompts =
          latest.stream()
              .map(entry -> ValueMapper.read(entry.key(), entry.value(), KeptPrompt.class))
              .toList();
      String run = prompts.getLast().runId();
      int wanted = step.orElse(prompts.getLast().step());
      List<KeptPrompt> shown =
          prompts.stream().filter(one -> one.runId().equals(run) && one.step() == wanted).toList();
      if (shown.isEmpty()) {
        throw CommandFailure.unsuccessful(
            "no prompt of step %d of run %s is kept".formatted(wanted, run));
      }
      return json.print(
          new Prompts(agent, shown),
          () -> String.join("\n\n", shown.stream().map(AgentsPromptCommand::text).toList()));
    }

    private static String text(KeptPrompt prompt) {
      StringBuilder text = new StringBuilder();
      text.append(
          "run %s, step %d, call %s: %,d prompt tokens, %,d of them cached, %,d of the reply"
              .formatted(
                  prompt.runId(),
                  prompt.step(),
                  prompt.name(),
                  prompt.usage().promptTokens(),
                  prompt.usage().cachedTokens(),
                  prompt.usage().completionTokens()));
      prompt.pages().forEach(page -> text.append("\n\n--- page ").append(page));
      for (PromptSection section : prompt.sections()) {
        if (!section.text().isEmpty()) {
          text.append(
                  "\n\n--- %s (%s, %,d of %,d tokens%s)\n"
                      .formatted(
                          section.name(),
                          section.part().name().toLowerCase(Locale.ROOT),
                          section.sizeTokens(),
                          section.budgetTokens(),
                          section.cut() ? ", cut" : ""))
              .append(Printable.lines(section.text()));
        }
      }
      return text.toString();
    }
  }
}
