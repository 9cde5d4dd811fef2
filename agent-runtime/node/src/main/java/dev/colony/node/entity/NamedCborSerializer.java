package dev.colony.node.entity;

import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
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
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.serialization.SerializerWithStringManifest;

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
  private final ObjectMapper messages;
  private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();
  private final Map<Class<?>, ObjectWriter> writers = new ConcurrentHashMap<>();

  /** Of the types that the configuration of the system binds to it. */
  public NamedCborSerializer(ExtendedActorSystem system) {
    this.system = system;
    this.names = new TypeNames(bound(system));
    this.messages = StoredTypes.cbor().copy().registerModule(references());
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

  private ObjectMapper mapper(Class<?> type) {
    return StoredTypes.stored(type) ? StoredTypes.cbor() : messages;
  }

  /** Whom a message is to be answered to, as Pekko writes it; only when the system is up. */
  private SimpleModule references() {
    SimpleModule module = new SimpleModule("references");
    module.addSerializer(
        new StdScalarSerializer<ActorRef<?>>(ActorRef.class, false) {
          @Override
          public void serialize(ActorRef<?> ref, JsonGenerator to, SerializerProvider provider)
              throws IOException {
            to.writeString(resolver().toSerializationFormat(ref));
          }
        });
    module.addDeserializer(
        ActorRef.class,
        new StdScalarDeserializer<ActorRef<?>>(ActorRef.class) {
          @Override
          public ActorRef<?> deserialize(JsonParser from, DeserializationContext context)
              throws IOException {
            return resolver().resolveActorRef(from.getValueAsString());
          }
        });
    return module;
  }

  private ActorRefResolver resolver() {
    return ActorRefResolver.get(Adapter.toTyped(system));
  }
}
