package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.BlackboardException;
import dev.colony.journal.JournalException;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.NotFoundException;
import dev.colony.server.StartFailedException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What failures of the server and of the libraries are at the command line. */
class CommandFailureTest {

  @Test
  void whatTheServerRefusesHasAnExitCode() {
    Map.<RuntimeException, ExitCode>of(
            new InvalidConfigurationException("bad"),
            ExitCode.BAD_INPUT,
            new StartFailedException(StartFailedException.Reason.PORT_IN_USE, "bad", null),
            ExitCode.IN_USE,
            new StartFailedException(StartFailedException.Reason.NOT_READY, "bad", null),
            ExitCode.NODE_FAILED,
            new StartFailedException(StartFailedException.Reason.INTERRUPTED, "bad", null),
            ExitCode.INTERRUPTED,
            new NotFoundException("bad"),
            ExitCode.UNSUCCESSFUL,
            AgentException.refused("bad"),
            ExitCode.UNSUCCESSFUL,
            new BlackboardException(BlackboardException.Reason.UNREACHABLE, "bad"),
            ExitCode.REDIS_UNAVAILABLE,
            new BlackboardException(BlackboardException.Reason.INVALID_VALUE, "bad"),
            ExitCode.BAD_INPUT)
        .forEach((failure, exitCode) -> {
          CommandFailure known = CommandFailure.of(new CompletionException(failure)).orElseThrow();
          assertThat(known.exitCode()).as("%s", failure).isEqualTo(exitCode);
          assertThat(known).hasMessage("bad").hasCause(failure);
        });
  }

  @Test
  void aJournalThatCannotBeReadIsNamed() {
    CommandFailure known =
        CommandFailure.of(new JournalException("it is damaged", null, false)).orElseThrow();
    assertThat(known).hasMessage("the journal: it is damaged");
    assertThat(known.exitCode()).isEqualTo(ExitCode.REDIS_UNAVAILABLE);
  }

  @Test
  void aFaultOfOursHasNone() {
    assertThat(CommandFailure.of(new IllegalStateException("broken"))).isEmpty();
  }
}
