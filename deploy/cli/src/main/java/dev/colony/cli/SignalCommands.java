package dev.colony.cli;

import dev.colony.agent.AgentId;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.blackboard.Scope;
import dev.colony.cli.BoardOptions.ColonyOptions;
import dev.colony.cli.BoardOptions.ColonyOptions.ReachedColony;
import dev.colony.cli.CommandOptions.AgentParameter;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.RunOption;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.SignalSender;
import dev.colony.cli.terminal.SignalSender.SignalResult;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
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
        "With --tree, --colony or --tenant all of them are suspended by one entry, which holds for"
            + " those that come later, too: within two seconds none makes a model call.",
      })
  static final class SuspendCommand extends ScopeCommand {

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

    @Override
    SignalResult tell(ScopeSuspensions all, Scope scope) {
      if (!until.isEmpty()) {
        throw CommandFailure.badInput("--until is for one agent: the others wait to be resumed");
      }
      return SignalSender.suspend(all, scope, reason);
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
      description = {
        "Has an agent go on from where it was suspended, whatever it waits for.",
        "With --tree, --colony or --tenant it takes back what suspended that as a whole.",
      })
  static final class ResumeCommand extends ScopeCommand {

    @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
    private String reason = "";

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.resume(reason);
    }

    @Override
    SignalResult tell(ScopeSuspensions all, Scope scope) {
      return SignalSender.resume(all, scope);
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
      name = "rewind",
      description = {
        "Has an agent execute the last run that it has ended again, from one of its steps on.",
        "What stands before that step is kept; what was done outside since is not done again.",
      })
  static final class RewindCommand extends TellCommand {

    @Parameters(index = "1", paramLabel = "RUN", description = "The last one that it has ended.")
    private RunId run;

    @Option(
        names = "--step",
        paramLabel = "N",
        required = true,
        description = "From which on, counted from 0, as agents steps shows them.")
    private int step;

    @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
    private String reason = "";

    @Override
    SignalResult tell(SignalSender to, ReachedColony cluster) {
      return to.rewind(run, step, reason);
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

  /** A command for one agent, or for a tenant, a colony or a tree of agents as a whole. */
  private abstract static class ScopeCommand extends ToldCommand {

    @Parameters(
        index = "0",
        arity = "0..1",
        paramLabel = "AGENT",
        description = "For example acme/billing/reviewer.")
    private Optional<AgentId> agent;

    @Option(names = "--tree", description = "AGENT and all that descend from it.")
    private boolean tree;

    @Option(names = "--colony", paramLabel = "T/C", description = "For example acme/billing.")
    private Optional<String> colony;

    @Option(
        names = "--tenant",
        paramLabel = "T",
        converter = Words.Name.class,
        description = "All colonies of a tenant, and its calls that no agent makes.")
    private Optional<String> tenant;

    abstract SignalResult tell(SignalSender to, ReachedColony cluster);

    abstract SignalResult tell(ScopeSuspensions all, Scope scope);

    @Override
    SignalResult tell(ReachedColony cluster) {
      Optional<Scope> scope = scope();
      if (scope.isEmpty()) {
        return tell(sender(cluster, agent.orElseThrow()), cluster);
      }
      if (tree && cluster.colony().agent(agent.orElseThrow()).state().join().isEmpty()) {
        throw CommandFailure.unsuccessful("there is no agent " + agent.get());
      }
      return tell(cluster.colony().suspensions(), scope.get());
    }

    /** Empty for just the agent. */
    private Optional<Scope> scope() {
      long given = Stream.of(agent, colony, tenant).filter(Optional::isPresent).count();
      if (given != 1 || tree && agent.isEmpty()) {
        throw CommandFailure.badInput(
            "give one of these: AGENT, AGENT --tree, --colony TENANT/COLONY, --tenant TENANT");
      }
      return agent
          .filter(one -> tree)
          .map(AgentId::scope)
          .or(() -> colony.map(ScopeCommand::colony))
          .or(() -> tenant.map(Scope::tenant));
    }

    private static Scope colony(String name) {
      String[] parts = name.split("/", -1);
      if (parts.length != 2) {
        throw CommandFailure.badInput("--colony is TENANT/COLONY, not: " + name);
      }
      return BoardOptions.refusing(() -> Scope.colony(parts[0], parts[1]));
    }
  }

  /** A command that tells an agent something, and says what became of it. */
  abstract static class TellCommand extends ToldCommand {

    @Mixin AgentParameter agent;

    abstract SignalResult tell(SignalSender to, ReachedColony cluster);

    @Override
    SignalResult tell(ReachedColony cluster) {
      return tell(sender(cluster, agent.id), cluster);
    }
  }

  /** A command that tells a cluster something, and says what became of it. */
  private abstract static class ToldCommand implements Callable<Integer> {

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

    abstract SignalResult tell(ReachedColony cluster);

    SignalSender sender(ReachedColony cluster, AgentId agent) {
      return new SignalSender(cluster.colony(), agent, wait);
    }

    @Override
    public Integer call() {
      SignalResult told = reach.reached(this::tell);
      json.print(told, told::message);
      return (told.taken() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
    }
  }
}
