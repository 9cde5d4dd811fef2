package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.Fixtures;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.source.SourceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Maps are stored by the ids of their content, so a tree of plain text keeps them. */
class StablePagesTest {

  @TempDir private Path root;

  @Test
  void aTreeOfPlainTextHasTheSameMapAsEver() throws IOException {
    for (int i = 0; i < 12; i++) {
      write(
          "src/d%d/Quay%d.java".formatted(i % 3, i),
          "package d%d;%n%n/** Fähre %d, „groß“. */%nclass Quay%d {}%n"
              .replace("%n", "\n")
              .formatted(i % 3, i, i)
              .repeat(40));
    }
    write("README.md", "\uFEFF# Ferries\r\n\r\nA replacement \uFFFD that is really there.\r\n");
    write("data/line.json", "{" + "\"depth\":12,".repeat(1_000) + "\"last\":0}");
    write("data/build/empty.txt", "");
    write("web/page.css", "p { color: red }");

    SourceSettings settings = SourceSettings.fromConfig(ConfigFactory.load());
    MappingResult.Mapped mapped =
        (MappingResult.Mapped)
            new PageMapper(new GroupingSettings(1_024, 2), settings, new TokenCounter())
                .map(
                    new FileTreeSource(root, settings, Fixtures.watchSettings()),
                    SourceProgress.SILENT);
    assertThat(mapped.map().id()).isEqualTo("ehecvxfdhkxhgpnpfnnz3g4tce");
    assertThat(mapped.map().files()).isEqualTo(15);
  }

  private void write(String path, String text) throws IOException {
    Path file = root.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
