package dev.colony.cli.terminal;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.BlackboardException;
import dev.colony.journal.JournalException;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.NotFoundException;
import dev.colony.server.StartFailedException;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** What a person did cannot be done: one line that says why and what to do, and an exit code. */
public final class CommandFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ExitCode exitCode;

  public CommandFailure(ExitCode exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public CommandFailure(ExitCode exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** The command line, or what it names, cannot be used. */
  public static CommandFailure badInput(String message) {
    return new CommandFailure(ExitCode.BAD_INPUT, message);
  }

  public static CommandFailure badInput(String message, Throwable cause) {
    return new CommandFailure(ExitCode.BAD_INPUT, message, cause);
  }

  /** What was asked for did not come about. */
  public static CommandFailure unsuccessful(String message) {
    return new CommandFailure(ExitCode.UNSUCCESSFUL, message);
  }

  public static CommandFailure unsuccessful(String message, Throwable cause) {
    return new CommandFailure(ExitCode.UNSUCCESSFUL, message, cause);
  }

  public ExitCode exitCode() {
    return exitCode;
  }

  /**
   * What a failure is to the person at the command line: the one place where failures of a node, of
   * agents, of the journal and of the blackboard get their exit codes. Empty for a fault of ours.
   */
  public static Optional<CommandFailure> of(Throwable failure) {
    return switch (failure) {
      case CommandFailure known -> Optional.of(known);
      case InvalidConfigurationException bad -> failure(ExitCode.BAD_INPUT, bad);
      case StartFailedException start -> failure(exitCode(start.reason()), start);
      case NotFoundException absent -> failure(ExitCode.UNSUCCESSFUL, absent);
      case AgentException refused -> failure(ExitCode.UNSUCCESSFUL, refused);
      case BlackboardException refused -> failure(exitCode(refused.reason()), refused);
      case JournalException unreadable ->
          Optional.of(
              new CommandFailure(
                  ExitCode.REDIS_UNAVAILABLE,
                  "the journal: " + unreadable.getMessage(),
                  unreadable));
      case CompletionException stage when stage.getCause() != null -> of(stage.getCause());
      default -> Optional.empty();
    };
  }

  private static Optional<CommandFailure> failure(ExitCode exitCode, RuntimeException cause) {
    return Optional.of(new CommandFailure(exitCode, cause.getMessage(), cause));
  }

  private static ExitCode exitCode(StartFailedException.Reason reason) {
    return switch (reason) {
      case PORT_IN_USE -> ExitCode.IN_USE;
      case NOT_READY -> ExitCode.NODE_FAILED;
      case INTERRUPTED -> ExitCode.INTERRUPTED;
    };
  }

  private static ExitCode exitCode(BlackboardException.Reason reason) {
    return switch (reason) {
      case EVENTS_LOST,
          CONCURRENT_MODIFICATION,
          ACCESS_DENIED,
          RECIPIENT_FULL,
          TENANT_FULL,
          INBOX_FULL ->
          ExitCode.UNSUCCESSFUL;
      case INVALID_VALUE -> ExitCode.BAD_INPUT;
      case INTERRUPTED -> ExitCode.INTERRUPTED;
      default -> ExitCode.REDIS_UNAVAILABLE;
    };
  }
}
