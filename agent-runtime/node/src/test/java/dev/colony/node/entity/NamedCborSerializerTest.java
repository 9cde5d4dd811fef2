package dev.colony.node.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeName;
import com.typesafe.config.ConfigFactory;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.StoredTypes.TypeNames;
import java.io.IOException;
import java.io.NotSerializableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Names that are stored and sent, which outlive those of classes. */
class NamedCborSerializerTest {

  private static final ActorTestKit KIT =
      ActorTestKit.create(
          ConfigFactory.parseString("pekko.actor.provider = local")
              .withFallback(ConfigFactory.load()));
  private static final Serialization SERIALIZATION = SerializationExtension.get(KIT.system());
  private static final Object EVENT = new AgentEvent.RehomeConfirmed(3, 1, Instant.EPOCH);

  private final NamedCborSerializer serializer =
      (NamedCborSerializer) SERIALIZATION.findSerializerFor(EVENT);

  sealed interface Twins {
    @JsonTypeName("one-name")
    record One() implements Twins {}

    @JsonTypeName("one-name")
    record Other() implements Twins {}
  }

  record Nameless() {}

  @JsonTypeName("dev.colony.Shouting")
  record Misnamed() {}

  @AfterAll
  static void stop() {
    KIT.shutdownTestKit();
  }

  @Test
  void whatIsStoredBearsNoNameOfAClass() {
    assertThat(serializer.manifest(EVENT)).isEqualTo("rehome-confirmed");
    assertThat(new String(serializer.toBinary(EVENT), java.nio.charset.StandardCharsets.ISO_8859_1))
        .doesNotContain("colony");
  }

  @Test
  void whatIsStoredUnderTheNameOfAClassIsRefused() {
    assertThatThrownBy(
            () -> serializer.fromBinary(new byte[] {(byte) 0xa0}, EVENT.getClass().getName()))
        .isInstanceOf(NotSerializableException.class)
        .hasMessage("this build knows no '" + EVENT.getClass().getName() + "'");
  }

  @Test
  void bytesOfAnotherTypeAreRefusedWithItsName() {
    assertThatThrownBy(() -> serializer.fromBinary(new byte[] {1}, "rehome-confirmed"))
        .isInstanceOf(NotSerializableException.class)
        .hasMessageStartingWith("rehome-confirmed cannot be read: ")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void eachTypeHasANameOfItsOwn() {
    assertThatThrownBy(() -> new TypeNames(List.of(Twins.class)))
        .hasMessageContaining("Twins$One and ")
        .hasMessageContaining("one-name");
    for (Class<?> wrong : List.of(Nameless.class, Misnamed.class)) {
      assertThatThrownBy(() -> TypeNames.of(wrong))
          .hasMessage(
              wrong.getName()
                  + " needs a @JsonTypeName of lower case words with hyphens between them");
    }
  }

  @Test
  void thePageAboutUpgradesListsThemAll() throws IOException {
    String page = Files.readString(Path.of("../../docs/operations/upgrade.md"));
    List<String> listed =
        Pattern.compile("`([a-z]+(?:-[a-z]+)+)`")
            .matcher(page.split("## Stored names")[1].split("\n## ")[0])
            .results()
            .map(name -> name.group(1))
            .toList();
    assertThat(listed).containsExactlyInAnyOrderElementsOf(serializer.names());
  }
}
