package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.node.entity.NamedCborSerializer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.NoSerializationVerificationNeeded;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import scala.jdk.javaapi.CollectionConverters;
import scala.util.Try;

/** What a node makes of the bytes that another node sends it, or a process that poses as one. */
class AllowedMessagesTest {

  /** Of {@code pekko.actor.serialization-identifiers}. */
  private static final int JAVA = 1;

  /** Of Pekko's own serializer of JSON, where a library brings it. */
  private static final String PREFIXES = "pekko.serialization.jackson.allowed-class-prefix";

  private static volatile boolean detonated;
  private static ActorSystem system;
  private static Serialization serialization;

  /** A message that no node sends. */
  record Foreign(String command) {}

  /** Does its harm while it is read, as the gadgets of attacks on Java serialization do. */
  static final class Gadget implements Serializable {
    private static final long serialVersionUID = 1L;

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      detonated = true;
    }
  }

  @BeforeAll
  static void start() {
    system =
        ActorSystem.create(
            Node.SYSTEM,
            ConfigFactory.parseMap(
                    Map.of(
                        "pekko.cluster.jmx.enabled", "off",
                        // The lease of a node's takes a Redis.
                        "pekko.cluster.split-brain-resolver.active-strategy", "keep-majority",
                        "pekko.remote.artery.canonical.hostname", "127.0.0.1",
                        "pekko.remote.artery.canonical.port", 0))
                .withFallback(NodeConfig.base(Optional.empty())));
    serialization = SerializationExtension.get(system);
  }

  @AfterAll
  static void stop() {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
  }

  @Test
  void noSerializerMakesAnObjectOfAClassThatIsNotOnTheList() {
    Map<Object, Serializer> all = CollectionConverters.asJava(serialization.serializerByIdentity());
    assertThat(all).as("those of remoting, cluster, sharding").hasSizeGreaterThan(10);
    List<byte[]> payloads =
        List.of(
            new byte[] {(byte) 0xa0},
            "{}".getBytes(StandardCharsets.UTF_8),
            serialized(new Gadget()));
    all.forEach((id, serializer) -> {
      for (String manifest : List.of(Foreign.class.getName(), Gadget.class.getName(), "")) {
        for (byte[] payload : payloads) {
          Try<Object> read = serialization.deserialize(payload, (int) id, manifest);
          assertThat(read.isSuccess() && read.get() != null ? read.get() : "refused")
              .as("%s, manifest '%s'", serializer, manifest)
              .isNotInstanceOfAny(Foreign.class, Gadget.class);
        }
      }
    });
    assertThat(detonated).isFalse();
  }

  @Test
  void javaSerializationIsOffBothWays() {
    Try<Object> read = serialization.deserialize(serialized("harmless"), JAVA, "");
    assertThat(read.isFailure()).isTrue();
    assertThat(serialization.serialize(new Gadget()).isFailure()).isTrue();
    assertThat(serialization.serialize(new Foreign("none")).isFailure()).isTrue();
  }

  @Test
  void everyMessageOfOursIsOnTheListOrStaysOnItsNode() {
    Set<Class<?>> messages = Messages.ofActors("dev.colony");
    assertThat(messages).as("of agents, schedulers, timers").hasSizeGreaterThan(30);
    assertThat(messages)
        .filteredOn(type -> !NoSerializationVerificationNeeded.class.isAssignableFrom(type))
        .isNotEmpty()
        .allSatisfy(type ->
            assertThat(serialization.serializerFor(type))
                .as("add %s to pekko.actor.serialization-bindings", type)
                .isInstanceOf(NamedCborSerializer.class));
  }

  @Test
  void theListHoldsOursAndNothingWider() {
    assertThat(
            system.settings().config().getObject("pekko.actor.serialization-bindings").entrySet())
        .noneMatch(binding -> binding.getValue().unwrapped().toString().startsWith("jackson"))
        .filteredOn(binding -> binding.getValue().unwrapped().equals("colony-cbor"))
        .isNotEmpty()
        .extracting(Map.Entry::getKey)
        .allMatch(type -> type.startsWith("dev.colony."));
    assertThat(
            system
                .settings()
                .config()
                .withFallback(ConfigFactory.parseString(PREFIXES + " = []"))
                .getStringList(PREFIXES))
        .isEmpty();
  }

  @Test
  void theGadgetWouldHaveDoneItsHarm() throws Exception {
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(serialized(new Gadget())))) {
      in.readObject();
      assertThat(detonated).isTrue();
    } finally {
      detonated = false;
    }
  }

  private static byte[] serialized(Object object) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return bytes.toByteArray();
  }
}
