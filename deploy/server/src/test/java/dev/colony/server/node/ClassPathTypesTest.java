package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.author.TypeProvider;
import dev.colony.core.registry.AgentTypes;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.node.NodeConfig.ClassPathTypes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A jar that cannot be used is refused in one line that says why. */
class ClassPathTypesTest {

  /** Fails as it registers. */
  public static final class Failing implements TypeProvider {
    @Override
    public void register(Types types) {
      types.add(String.class);
    }
  }

  @TempDir private Path jar;

  @Test
  void aProviderThatIsMissing() {
    assertThatThrownBy(() -> ClassPathTypes.of(() -> typesOf("my.Missing")))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessage(
            "the agents' types cannot be loaded: %s: Provider my.Missing not found",
            TypeProvider.class.getName());
  }

  @Test
  void aProviderThatFails() {
    assertThatThrownBy(() -> ClassPathTypes.of(() -> typesOf(Failing.class.getName())))
        .isInstanceOf(InvalidConfigurationException.class)
        .hasMessageContaining("java.lang.String");
  }

  @Test
  void thoseThatAreSound() {
    assertThat(ClassPathTypes.of(AgentTypes::installed)).isSameAs(AgentTypes.installed());
  }

  private AgentTypes typesOf(String provider) {
    try {
      Path services = Files.createDirectories(jar.resolve("META-INF/services"));
      Files.writeString(services.resolve(TypeProvider.class.getName()), provider);
      try (URLClassLoader loader =
          new URLClassLoader(new URL[] {jar.toUri().toURL()}, getClass().getClassLoader())) {
        return AgentTypes.of(ServiceLoader.load(TypeProvider.class, loader));
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
