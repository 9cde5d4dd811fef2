package dev.colony.deploy.cli;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.BlackboardException;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.Printable;
import dev.colony.deploy.local.OnExit;
import java.io.PrintWriter;
import java.util.concurrent.CompletionException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The root of the command line, and the one place where failures become a line and a status. */
@Command(
    name = "colony",
    mixinStandardHelpOptions = true,
    version = "colony 0.1.0",
    description = "Runs populations of LLM agents over code bases far larger than one model call.",
    subcommands = {
      RunCommand.class,
      UpCommand.class,
      DownCommand.class,
      StatusCommand.class,
      DoctorCommand.class,
      AgentsCommand.class,
      RunsCommand.class,
      InboxCommand.class,
      LostEventsCommand.class,
      SuspendCommand.class,
      ResumeCommand.class,
      ApproveCommand.class,
      DenyCommand.class,
      SignalCommand.class,
      CancelCommand.class,
      ForkCommand.class,
      AttachCommand.class,
      BoardCommand.class,
      BenchCommand.class,
      KeyCommand.class,
      AccessCommand.class,
      NodeCommand.class,
      SuperviseCommand.class,
      WarmUpCommand.class,
    },
    footer = {
      "",
      "In a source tree ./colony has two more: image builds a container image, example runs an"
          + " example.",
      "",
      "Exit status: 0 done, 1 done, but the outcome is not what was asked for, 2 bad input, 3 in"
          + " use by another process, 4 model server unusable, 5 Redis unusable, 6 a node did not"
          + " start, 7 a node ended by itself, 70 internal fault, 130 interrupted.",
    })
public final class ColonyCommand implements Runnable {

  @Spec private CommandSpec spec;

  /** Runs a command line and gives its exit status. */
  public static int execute(String... arguments) {
    try {
      LogFormat.check(System.getenv());
    } catch (CommandFailure unknown) {
      return failed(unknown, new PrintWriter(System.err, true));
    }
    return new CommandLine(new ColonyCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(ColonyCommand::badUsage)
        .setExecutionExceptionHandler((failure, line, parsed) -> failed(failure, line.getErr()))
        .setUsageHelpAutoWidth(true)
        .execute(arguments);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "give a command");
  }

  private static int badUsage(ParameterException failure, String[] arguments) {
    CommandLine line = failure.getCommandLine();
    line.getErr()
        .printf(
            "colony: %s; try: %s --help%n",
            Printable.of(failure.getMessage()), line.getCommandSpec().qualifiedName());
    return ExitCode.BAD_INPUT.status();
  }

  private static int failed(Exception failure, PrintWriter err) {
    if (OnExit.begun()) {
      return ExitCode.INTERRUPTED.status();
    }
    return switch (failure) {
      // Whoever interrupted it knows, and has been told how to go on.
      case CommandFailure interrupted when interrupted.exitCode() == ExitCode.INTERRUPTED ->
          ExitCode.INTERRUPTED.status();
      case CommandFailure known -> {
        err.println("colony: " + Printable.of(known.getMessage()));
        yield known.exitCode().status();
      }
      case BlackboardException refused -> {
        err.println("colony: " + Printable.of(refused.getMessage()));
        yield exitCode(refused.reason()).status();
      }
      case AgentException refused -> {
        err.println("colony: " + Printable.of(refused.getMessage()));
        yield ExitCode.UNSUCCESSFUL.status();
      }
      case CompletionException stage when known(stage.getCause()) ->
          failed((RuntimeException) stage.getCause(), err);
      default -> {
        err.println("colony: internal fault, please report it:");
        failure.printStackTrace(err);
        yield ExitCode.INTERNAL.status();
      }
    };
  }

  private static boolean known(Throwable cause) {
    return cause instanceof BlackboardException || cause instanceof AgentException;
  }

  private static ExitCode exitCode(BlackboardException.Reason reason) {
    return switch (reason) {
      case UNREACHABLE,
          TIMEOUT,
          BUSY,
          LOADING,
          OUT_OF_MEMORY,
          DISK,
          READ_ONLY,
          CLUSTER_DOWN,
          UNAUTHENTICATED,
          FORBIDDEN,
          TLS,
          UNSUPPORTED_VERSION,
          MISCONFIGURED,
          SERVER,
          LAYOUT,
          CLOSED,
          INTERNAL ->
          ExitCode.REDIS_UNAVAILABLE;
      case EVENTS_LOST,
          CONCURRENT_MODIFICATION,
          ACCESS_DENIED,
          RECIPIENT_FULL,
          TENANT_FULL,
          INBOX_FULL ->
          ExitCode.UNSUCCESSFUL;
      case INVALID_VALUE -> ExitCode.BAD_INPUT;
      case INTERRUPTED -> ExitCode.INTERRUPTED;
    };
  }
}
