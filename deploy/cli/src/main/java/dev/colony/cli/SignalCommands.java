package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.cli.BoardOptions.ColonyOptions;
import dev.colony.cli.BoardOptions.ColonyOptions.ReachedColony;
import dev.colony.cli.CommandOptions.AgentParameter;
import dev.colony.cli.CommandOptions.ColonyFilter;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.CommandOptions.RunOption;
import dev.colony.cli.terminal.AgentsText;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.SignalSender;
import dev.colony.cli.terminal.SignalSender.SignalResult;
import dev.colony.client.http.HttpColony;
import dev.colony.client.wire.WireJson.PendingApprovals;
import dev.colony.server.AgentsReader;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.AgentFilter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that tell an agent something, and say what became of it. */
final class SignalCommands {

  private SignalCommands() {}

  @Command(
      name = "suspend",
      description = {
        "Has an agent put its state away, until it is resumed or a condition holds.",
        "What it is doing is cut off and done again later; an action that changes the world outside"
            + " is finished first.",
      })
  static final class SuspendCommand extends TellCommand {

    @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
    private String reason = "";

    @Option(
        names = "--until",
        paramLabel = "WHAT",
        converter = Words.Until.class,
        description =
            "signal:NAME, approval:NAME, at:TIME, in:PERIOD, ended:AGENT or a condition as"
                + " JSON; given several times, any of them (default: until it is resumed).")
    private List<Function<InstantSource, ResumptionCondition>> until = List.of();

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.suspend(reason, condition(cluster.clock()));
    }

    /**
     * @param clock the cluster's, by which periods count
     */
    private Optional<ResumptionCondition> condition(InstantSource clock) {
      List<ResumptionCondition> any = until.stream().map(one -> one.apply(clock)).toList();
      return any.size() > 1
          ? Optional.of(new ResumptionCondition.AnyOf(any))
          : any.stream().findFirst();
    }
  }

  @Command(
      name = "resume",
      description = "Has an agent go on from where it was suspended, whatever it waits for.")
  static final class ResumeCommand extends TellCommand {

    @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
    private String reason = "";

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.resume(reason);
    }
  }

  @Command(
      name = "signal",
      description = "Tells an agent that something has happened that it may wait for by a name.")
  static final class SignalCommand extends TellCommand {

    @Parameters(
        index = "1",
        paramLabel = "NAME",
        converter = Words.Signal.class,
        description = "As the agent, or the caller who suspended it, calls it.")
    private String name;

    @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
    private String reason = "";

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.signal(name, reason);
    }
  }

  @Command(
      name = "cancel",
      description = {
        "Ends a run of an agent as cancelled, be it under way or waiting.",
        "An action that changes the world outside is finished first.",
      })
  static final class CancelCommand extends TellCommand {

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "RUN",
        description = "Which one (default: the one under way).")
    private Optional<RunId> run;

    @Mixin private RunOption where;

    @Option(
        names = "--reason",
        paramLabel = "TEXT",
        defaultValue = "cancelled at the command line",
        description = "Becomes the run's error (default: ${DEFAULT-VALUE}).")
    private String reason;

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.cancel(run, where.namespace, found -> cluster.namespace(agent.id, found), reason);
    }
  }

  @Command(
      name = "fork",
      description = {
        "Makes an agent that begins with another's past, and starts it.",
        "It inherits what the other knew and had done, and nothing that was under way.",
      })
  static final class ForkCommand extends TellCommand {

    @Parameters(
        index = "1",
        paramLabel = "NAME",
        converter = Words.Name.class,
        description = "Of the new agent, in the same colony.")
    private String name;

    @Option(
        names = "--at",
        paramLabel = "N",
        description =
            "The number of the last event that it inherits, as agents steps shows it"
                + " (default: the last one there is).")
    private Optional<Long> at;

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.fork(at, name);
    }
  }

  @Command(
      name = "approve",
      description = {
        "Says yes to something that an agent asks for.",
        "./colony agents show AGENT tells what it asks for.",
      })
  static final class ApproveCommand extends AnswerCommand {
    ApproveCommand() {
      super(true);
    }
  }

  @Command(
      name = "deny",
      description = {
        "Says no to something that an agent asks for.",
        "./colony agents show AGENT tells what it asks for.",
      })
  static final class DenyCommand extends AnswerCommand {
    DenyCommand() {
      super(false);
    }
  }

  /** A person's word on something that an agent asks for. */
  private abstract static class AnswerCommand extends TellCommand {

    @Parameters(
        index = "1",
        arity = "0..1",
        paramLabel = "REQUEST",
        description = "What it asks for; may be left out if that is one thing only.")
    private Optional<String> request;

    @Option(
        names = "--by",
        paramLabel = "NAME",
        defaultValue = "${sys:user.name}",
        description = "Who answers (default: ${DEFAULT-VALUE}).")
    private String by;

    @Option(names = "--note", paramLabel = "TEXT", description = "For the run, one line.")
    private String note = "";

    private final boolean granted;

    AnswerCommand(boolean granted) {
      this.granted = granted;
    }

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.answer(request, granted, by, note);
    }
  }

  /** A command that tells an agent something, and says what became of it. */
  abstract static class TellCommand implements Callable<Integer> {

    @Mixin AgentParameter agent;

    @Option(
        names = "--wait",
        paramLabel = "PERIOD",
        defaultValue = "10s",
        description =
            "How long to wait until the agent has taken it; it will, in any case (default:"
                + " ${DEFAULT-VALUE}).")
    private Duration wait;

    @Mixin private JsonOption json;

    @Mixin private ColonyOptions reach;

    abstract SignalResult tell(SignalSender to, ReachedColony cluster);

    @Override
    public Integer call() {
      SignalResult told =
          reach.reached(
              cluster -> tell(new SignalSender(cluster.colony(), agent.id, wait), cluster));
      json.print(told, told::message);
      return (told.taken() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
    }
  }

  @Command(
      name = "approvals",
      description = {
        "Lists what agents ask persons for and wait for, with how to answer.",
        "It reads the journals of the agents that the options leave; of many colonies that takes a"
            + " while.",
      })
  static final class ApprovalsCommand implements Callable<Integer> {

    private static final AgentFilter ASKING =
        new AgentFilter("", Optional.empty(), Optional.<AgentState>empty(), Optional.empty(), true);

    @Parameters(arity = "0..1", paramLabel = "AGENT", description = "Only what this one asks for.")
    private Optional<AgentId> agent;

    @Mixin private ColonyFilter of;

    @Mixin private LimitOption limit;

    @Option(
        names = "--after",
        paramLabel = "AGENT",
        description = "The last one of the page before.")
    private Optional<AgentId> after;

    @Mixin private JsonOption json;

    @Mixin private ColonyOptions reach;

    @Override
    public Integer call() {
      int most = limit.checked();
      PendingApprovals asked =
          reach.with(api -> overHttp(api, most), (view, colony) -> page(view, most));
      return json.lines(
          asked,
          asked.approvals(),
          "no agent waits for a person",
          one -> AgentsText.approval(one, reach.again()),
          asked.next().map("there may be more: --after "::concat));
    }

    private PendingApprovals page(AgentsReader view, int most) {
      if (agent.isPresent()) {
        return new PendingApprovals(view.find(agent.get()).pending(), Optional.empty());
      }
      AgentsReader.Page<List<PendingApproval>> page =
          view.list(
              of.tenant,
              of.colony,
              ASKING,
              AgentsReader.PageSize.filled(most),
              after,
              ShownAgent::pending);
      return new PendingApprovals(
          page.found().stream().flatMap(List::stream).toList(),
          page.next().map(AgentId::persistenceId));
    }

    private PendingApprovals overHttp(ColonyOptions.Api api, int most) {
      if (agent.isPresent()) {
        AgentId id = agent.get();
        AgentHandle handle = api.colony().agent(id);
        if (handle.state().join().isEmpty()) {
          throw CommandFailure.unsuccessful("there is no agent " + id);
        }
        return new PendingApprovals(handle.pending().join(), Optional.empty());
      }
      String tenant =
          of.tenant
              .or(() -> after.map(AgentId::tenant))
              .orElseThrow(() ->
                  CommandFailure.badInput(
                      "give a --tenant or an AGENT: with --url, one tenant's agents are listed"));
      PendingApprovals page =
          HttpColony.approvals(api.url(), api.key(), api.config(), tenant, of.colony, most, after)
              .join();
      String within = tenant + "/" + of.colony.map(name -> name + "/").orElse("");
      return new PendingApprovals(page.approvals(), page.next().map(within::concat));
    }
  }
}
