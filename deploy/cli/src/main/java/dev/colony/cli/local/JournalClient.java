package dev.colony.cli.local;

import com.typesafe.config.Config;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.core.serialization.StoredTypes;
import dev.colony.journal.Journal;
import dev.colony.journal.JournalException;
import dev.colony.journal.JournalReader;

/** The journal of a cluster, for a command that is no member of it. */
public final class JournalClient implements AutoCloseable {

  private final Journal journal;

  private JournalClient(Journal journal) {
    this.journal = journal;
  }

  /**
   * Connects.
   *
   * @throws CommandFailure if the journal there was laid out by other settings
   * @throws dev.colony.blackboard.BlackboardException if no server answers there
   */
  public static JournalClient connect(String redisUri, Config config) {
    try {
      return new JournalClient(Journal.open(redisUri, config));
    } catch (JournalException otherLayout) {
      throw new CommandFailure(ExitCode.BAD_INPUT, otherLayout.getMessage(), otherLayout);
    }
  }

  public JournalReader reader() {
    return journal.reader(StoredTypes::read);
  }

  @Override
  public void close() {
    journal.close();
  }
}
