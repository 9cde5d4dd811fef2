package dev.colony.deploy.local;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.journal.JournalException;
import dev.colony.agent.journal.JournalReader;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import java.util.Map;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * The journal of a cluster, for a process that is no member of it. An actor system stands behind it
 * for its serializers; no agent is ever started there.
 */
public final class JournalClient implements AutoCloseable {

  private final ActorSystem<Void> system;
  private final JournalReader reader;

  private JournalClient(ActorSystem<Void> system, JournalReader reader) {
    this.system = system;
    this.reader = reader;
  }

  /**
   * Connects.
   *
   * @throws CommandFailure if the journal there was laid out by other settings
   * @throws dev.colony.blackboard.BlackboardException if nobody answers there
   */
  public static JournalClient connect(String redisUri, Config config) {
    Map<String, String> own =
        Map.of("pekko.actor.provider", "local", "colony.agent.journal.redis-uri", redisUri);
    ActorSystem<Void> system =
        ActorSystem.create(
            Behaviors.empty(),
            "colony-reader",
            ConfigFactory.parseMap(own, "journal client").withFallback(config));
    try {
      return new JournalClient(system, JournalReader.of(system));
    } catch (JournalException otherLayout) {
      end(system);
      throw new CommandFailure(ExitCode.BAD_INPUT, otherLayout.getMessage(), otherLayout);
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
