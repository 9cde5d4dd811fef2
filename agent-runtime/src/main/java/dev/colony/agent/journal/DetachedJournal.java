package dev.colony.agent.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.util.Map;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The journal of a cluster, for a process that has a Redis URL and is no member of it. A small
 * actor system stands behind it, for its serializers: they are those of the nodes, whatever a
 * node's configuration adds to them. No actor is ever started there. Thread-safe.
 */
public final class DetachedJournal implements AutoCloseable {

  private final ActorSystem<Void> system;
  private final JournalReader reader;

  private DetachedJournal(ActorSystem<Void> system, JournalReader reader) {
    this.system = system;
    this.reader = reader;
  }

  /**
   * Connects; takes about as long as an actor system takes to start.
   *
   * @param config as the nodes have it, but for where Redis is
   * @throws JournalException if the journal there was laid out by other settings
   * @throws dev.colony.blackboard.BlackboardException if nobody answers there
   */
  public static DetachedJournal connect(String redisUri, Config config) {
    Map<String, String> own =
        Map.of("pekko.actor.provider", "local", JournalSettings.PATH + ".redis-uri", redisUri);
    ActorSystem<Void> system =
        ActorSystem.create(
            Behaviors.empty(),
            "colony-reader",
            ConfigFactory.parseMap(own, "detached journal").withFallback(config));
    try {
      return new DetachedJournal(system, JournalReader.of(system));
    } catch (RuntimeException failure) {
      end(system);
      throw failure;
    }
  }

  public JournalReader reader() {
    return reader;
  }

  @Override
  public void close() {
    end(system);
  }

  private static void end(ActorSystem<Void> system) {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
  }
}
