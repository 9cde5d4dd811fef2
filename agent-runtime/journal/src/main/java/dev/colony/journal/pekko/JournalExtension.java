package dev.colony.journal.pekko;

import dev.colony.journal.Journal;
import dev.colony.journal.JournalReader;
import dev.colony.journal.RedisRetry;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import scala.concurrent.Future;
import scala.concurrent.Promise;

/**
 * The journal of an actor system: one set of connections, shared by the plugins and by whatever
 * else of the node reads it. Opened when first asked for, closed when the actor system has ended.
 */
public final class JournalExtension implements Extension {

  private static final Id ID = new Id();

  private final Journal journal;

  private JournalExtension(ExtendedActorSystem system) {
    journal = Journal.open(system.settings().config());
    system.registerOnTermination(journal::close);
  }

  /**
   * The journal of an actor system. A node calls this when it starts, so that a Redis that cannot
   * be reached stops the start and not its first agent.
   *
   * @throws dev.colony.blackboard.BlackboardException if no Redis at {@code redis-uri} can be used
   * @throws dev.colony.journal.JournalException if the data there was laid out with another number
   *     of slots
   */
  public static Journal journal(ClassicActorSystemProvider system) {
    return ID.get(system).journal;
  }

  /** The way to read it with the serializers of the actor system; throws as {@link #journal}. */
  public static JournalReader reader(ClassicActorSystemProvider system) {
    Serialization serialization = SerializationExtension.get(system);
    return journal(system)
        .reader((serializer, manifest, payload) ->
            serialization.deserialize(payload, serializer, manifest).get());
  }

  private static final class Id extends AbstractExtensionId<JournalExtension> {
    @Override
    public JournalExtension createExtension(ExtendedActorSystem system) {
      return new JournalExtension(system);
    }
  }

  /**
   * Hands a stage to Pekko with the failure itself, not wrapped in a {@code CompletionException}:
   * actors tell failures apart by their type.
   */
  static final class PluginFuture {

    private PluginFuture() {}

    static <T> Future<T> of(CompletionStage<T> stage) {
      Promise<T> promise = Promise.apply();
      stage.whenComplete((value, failure) -> {
        if (failure == null) {
          promise.success(value);
        } else {
          promise.failure(RedisRetry.unwrap(failure));
        }
      });
      return promise.future();
    }
  }
}
