package dev.colony.client.history;

import com.typesafe.config.Config;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.lifecycle.StoredTypes;
import dev.colony.journal.Journal;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The past of agents for a process that is no member of their cluster. Connects when it is first
 * asked for. Thread-safe.
 */
public final class DetachedHistory implements Supplier<AgentHistory>, AutoCloseable {

  private final String redisUri;
  private final Config config;
  private Optional<Journal> journal = Optional.empty();
  private Optional<AgentHistory> history = Optional.empty();
  private boolean closed;

  /**
   * @param config with the limits of the nodes
   */
  public DetachedHistory(String redisUri, Config config) {
    this.redisUri = redisUri;
    this.config = config;
  }

  /**
   * Connects if it has not yet; blocks meanwhile.
   *
   * @throws dev.colony.journal.JournalException if the journal there was laid out by other settings
   * @throws dev.colony.blackboard.BlackboardException if no server answers there
   * @throws IllegalStateException if it is closed
   */
  @Override
  public synchronized AgentHistory get() {
    if (closed) {
      throw new IllegalStateException("the history is closed");
    }
    if (history.isEmpty()) {
      Journal connected = Journal.open(redisUri, config);
      journal = Optional.of(connected);
      history =
          Optional.of(
              new AgentHistory(
                  connected.reader(StoredTypes::read),
                  new Lifecycle(RunLimits.fromConfig(config))));
    }
    return history.get();
  }

  @Override
  public synchronized void close() {
    closed = true;
    journal.ifPresent(Journal::close);
  }
}
