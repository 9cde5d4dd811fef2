package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.fixture.ProjectRoot;
import dev.colony.server.node.NodeConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The reference of all settings is what the files say; {@code -Ddocs.write=true} renews it. */
class ConfigurationReferenceTest {

  private static final String BEGIN = "<!-- from the reference.conf files: begin -->\n";
  private static final String END = "<!-- from the reference.conf files: end -->\n";

  @Test
  void theExampleSetsWhatThereIs() throws IOException {
    String text = Files.readString(ProjectRoot.find().resolve("docs/reference/configuration.md"));
    String example = text.split("```\n")[1];
    Config defaults = NodeConfig.base(Optional.empty());
    assertThat(ConfigFactory.parseString(example).entrySet())
        .isNotEmpty()
        .extracting(Map.Entry::getKey)
        .allMatch(defaults::hasPath);
  }

  @Test
  void everySettingStandsThereAsItIs() throws IOException {
    Path root = ProjectRoot.find();
    Path document = root.resolve("docs/reference/configuration.md");
    String text = Files.readString(document);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    int end = text.indexOf(END);
    String wanted = ConfigurationReference.of(root);
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(document, text.substring(0, begin) + wanted + text.substring(end));
    } else {
      assertThat(text.substring(begin, end))
          .as("docs/reference/configuration.md; renew it with -Ddocs.write=true")
          .isEqualTo(wanted);
    }
  }
}
