package dev.colony.cli;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.cli.BoardOptions.ColonyOptions;
import dev.colony.cli.BoardOptions.ColonyOptions.ReachedColony;
import dev.colony.cli.CommandOptions.AgentParameter;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.RunOption;
import dev.colony.cli.CommandOptions.WaitOption;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.SignalSender;
import dev.colony.cli.terminal.SignalSender.SignalResult;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that tell an agent something, and say what became of it. */
final class SignalCommands {

  private SignalCommands() {}

  /** Has an agent put its state away. */
  @Command(
      name = "suspend",
      description = {
        "Has an agent put its state away, until it is resumed or a condition holds.",
        "What it is doing is cut off and done again later; an action that changes the world outside"
            + " is finished first.",
      })
  static final class SuspendCommand implements Callable<Integer> {

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

    @Mixin private SignalOptions options;

    @Override
    public Integer call() {
      return options.tell((agent, cluster) -> agent.suspend(reason, condition(cluster.clock())));
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

  /** Has a suspended agent go on. */
  @Command(
      name = "resume",
      description = "Has an agent go on from where it was suspended, whatever it waits for.")
  static final class ResumeCommand implements Callable<Integer> {

    @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
    private String reason = "";

    @Mixin private SignalOptions options;

    @Override
    public Integer call() {
      return options.tell((agent, cluster) -> agent.resume(reason));
    }
  }

  /** Tells an agent that something has happened. */
  @Command(
      name = "signal",
      description = "Tells an agent that something has happened that it may wait for by a name.")
  static final class SignalCommand implements Callable<Integer> {

    @Parameters(
        index = "1",
        paramLabel = "NAME",
        converter = Words.Signal.class,
        description = "As the agent, or the caller who suspended it, calls it.")
    private String name;

    @Option(names = "--reason", paramLabel = "TEXT", description = "For people, one line.")
    private String reason = "";

    @Mixin private SignalOptions options;

    @Override
    public Integer call() {
      return options.tell((agent, cluster) -> agent.signal(name, reason));
    }
  }

  /** Ends a run as cancelled. */
  @Command(
      name = "cancel",
      description = {
        "Ends a run of an agent as cancelled, be it under way or waiting.",
        "An action that changes the world outside is finished first.",
      })
  static final class CancelCommand implements Callable<Integer> {

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

    @Mixin private SignalOptions options;

    @Override
    public Integer call() {
      return options.tell((agent, cluster) ->
          agent.cancel(
              run,
              where.namespace(),
              found -> cluster.namespace(options.agent.id(), found),
              reason));
    }
  }

  /** Makes an agent that begins with another's past. */
  @Command(
      name = "fork",
      description = {
        "Makes an agent that begins with another's past, and starts it.",
        "It inherits what the other knew and had done, and nothing that was under way.",
      })
  static final class ForkCommand implements Callable<Integer> {

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

    @Mixin private SignalOptions options;

    @Override
    public Integer call() {
      return options.tell((agent, cluster) -> agent.fork(at, name));
    }
  }

  /** Says yes to something that an agent asks for. */
  @Command(
      name = "approve",
      description = {
        "Says yes to something that an agent asks for.",
        "./colony agents show AGENT tells what it asks for.",
      })
  static final class ApproveCommand implements Callable<Integer> {

    @Mixin private AnswerOptions answer;

    @Override
    public Integer call() {
      return answer.give(true);
    }
  }

  /** Says no to something that an agent asks for. */
  @Command(
      name = "deny",
      description = {
        "Says no to something that an agent asks for.",
        "./colony agents show AGENT tells what it asks for.",
      })
  static final class DenyCommand implements Callable<Integer> {

    @Mixin private AnswerOptions answer;

    @Override
    public Integer call() {
      return answer.give(false);
    }
  }

  /** A person's word on something that an agent asks for, and whom it is given to. */
  static final class AnswerOptions {

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

    @Mixin private SignalOptions options;

    /** Gives it, and says what became of it. */
    int give(boolean granted) {
      return options.tell((agent, cluster) -> agent.answer(request, granted, by, note));
    }
  }

  /** What the commands have in common that tell an agent something. */
  static final class SignalOptions {

    @Mixin private AgentParameter agent;

    @Mixin private WaitOption wait;

    @Mixin private JsonOption json;

    @Mixin private ColonyOptions reach;

    /** Tells it, and says what became of it. */
    int tell(BiFunction<SignalSender, ReachedColony, SignalResult> what) {
      SignalResult told =
          reach.reached(cluster ->
              what.apply(new SignalSender(cluster.colony(), agent.id(), wait.period()), cluster));
      json.print(told, told::message);
      return (told.taken() ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
    }
  }
}
