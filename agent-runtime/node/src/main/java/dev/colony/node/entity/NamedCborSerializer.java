package dev.colony.node.entity;

import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.typesafe.config.Config;
import dev.colony.core.lifecycle.StoredTypes;
import dev.colony.core.lifecycle.StoredTypes.TypeNames;
import java.io.IOException;
import java.io.NotSerializableException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.serialization.SerializerWithStringManifest;
import org.apache.pekko.serialization.jackson.JacksonObjectMapperProvider;

/**
 * Writes what is journaled and what nodes send each other as CBOR under the names that {@link
 * JsonTypeName} gives, so that classes may move and be renamed. It knows the types that the
 * configuration binds to it, and reads no other. Made by Pekko; thread-safe.
 */
public final class NamedCborSerializer extends SerializerWithStringManifest {

  private static final String BINDINGS = "pekko.actor.serialization-bindings";
  private static final String SERIALIZER = "colony-cbor";

  private final ExtendedActorSystem system;
  private final TypeNames names;
  private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();
  private final Map<Class<?>, ObjectWriter> writers = new ConcurrentHashMap<>();

  /** Of the types that the configuration of the system binds to it. */
  public NamedCborSerializer(ExtendedActorSystem system) {
    this.system = system;
    this.names = new TypeNames(bound(system));
  }

  private static List<Class<?>> bound(ExtendedActorSystem system) {
    Config bindings = system.settings().config().getConfig(BINDINGS);
    return bindings.root().entrySet().stream()
        .filter(binding -> SERIALIZER.equals(binding.getValue().unwrapped()))
        .<Class<?>>map(binding -> load(system, binding.getKey()))
        .toList();
  }

  private static Class<?> load(ExtendedActorSystem system, String name) {
    try {
      return Class.forName(name, false, system.dynamicAccess().classLoader());
    } catch (ClassNotFoundException unknown) {
      throw new IllegalArgumentException(
          BINDINGS + " names " + name + ", which is no class", unknown);
    }
  }

  /** Of all types that it reads. */
  Set<String> names() {
    return names.all().keySet();
  }

  @Override
  public int identifier() {
    return StoredTypes.SERIALIZER;
  }

  @Override
  public String manifest(Object value) {
    return TypeNames.of(value.getClass());
  }

  @Override
  public byte[] toBinary(Object value) {
    try {
      return writers
          .computeIfAbsent(value.getClass(), written -> mapper(written).writerFor(written))
          .writeValueAsBytes(value);
    } catch (IOException failure) {
      throw new IllegalArgumentException(
          manifest(value) + " cannot be written: " + failure.getMessage(), failure);
    }
  }

  /**
   * @throws NotSerializableException if no type of this build has that name, or the bytes are not
   *     of it
   */
  @Override
  public Object fromBinary(byte[] bytes, String manifest) throws NotSerializableException {
    Optional<Class<?>> type = names.type(manifest);
    if (type.isEmpty()) {
      throw new NotSerializableException("this build knows no '" + manifest + "'");
    }
    try {
      return readers
          .computeIfAbsent(type.get(), read -> mapper(read).readerFor(read))
          .readValue(bytes);
    } catch (IOException failure) {
      NotSerializableException unreadable =
          new NotSerializableException(manifest + " cannot be read: " + failure.getMessage());
      unreadable.initCause(failure);
      throw unreadable;
    }
  }

  /** For messages that of Pekko, which knows references to actors; only when the system is up. */
  private ObjectMapper mapper(Class<?> type) {
    return StoredTypes.stored(type)
        ? StoredTypes.cbor()
        : JacksonObjectMapperProvider.get(system)
            .getOrCreate("jackson-cbor", Optional.of(new CBORFactory()));
  }
}
