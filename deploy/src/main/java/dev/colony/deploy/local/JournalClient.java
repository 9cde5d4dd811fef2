package dev.colony.deploy.local;

import com.typesafe.config.Config;
import dev.colony.agent.journal.DetachedJournal;
import dev.colony.agent.journal.JournalException;
import dev.colony.agent.journal.JournalReader;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;

/** The journal of a cluster, for a command that is no member of it. */
public final class JournalClient implements AutoCloseable {

  private final DetachedJournal journal;

  private JournalClient(DetachedJournal journal) {
    this.journal = journal;
  }

  /**
   * Connects.
   *
   * @throws CommandFailure if the journal there was laid out by other settings
   * @throws dev.colony.blackboard.BlackboardException if nobody answers there
   */
  public static JournalClient connect(String redisUri, Config config) {
    try {
      return new JournalClient(DetachedJournal.connect(redisUri, config));
    } catch (JournalException otherLayout) {
      throw new CommandFailure(ExitCode.BAD_INPUT, otherLayout.getMessage(), otherLayout);
    }
  }

  public JournalReader reader() {
    return journal.reader();
  }

  @Override
  public void close() {
    journal.close();
  }
}
