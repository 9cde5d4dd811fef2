package dev.colony.core.lifecycle;

import com.typesafe.config.ConfigFactory;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializer;
import org.apache.pekko.serialization.Serializers;

/**
 * Bytes as the journal and the snapshot store have them: by the serializers that are configured.
 */
final class JournalFormat implements AutoCloseable {

  private final ActorTestKit kit =
      ActorTestKit.create(
          ConfigFactory.parseString("pekko.actor.provider = local")
              .withFallback(ConfigFactory.load()));
  private final Serialization serialization = SerializationExtension.get(kit.system());

  byte[] write(Object record) {
    return serialization.serialize(record).get();
  }

  /** What names the type of a record beside its bytes. */
  String manifest(Object record) {
    return Serializers.manifestFor(serializer(record), record);
  }

  /**
   * @param like a record that is written by the same serializer
   */
  Object read(byte[] bytes, String manifest, Object like) {
    return serialization.deserialize(bytes, serializer(like).identifier(), manifest).get();
  }

  private Serializer serializer(Object record) {
    return serialization.findSerializerFor(record);
  }

  @Override
  public void close() {
    kit.shutdownTestKit();
  }
}
