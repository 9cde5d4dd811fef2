package dev.colony.bench.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappingBenchmarkTest {

  @TempDir private Path folder;

  @Test
  void theTreeIsMappedAndItsCopyChanged() throws IOException {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    for (int i = 0; i < 30; i++) {
      Files.writeString(tree.resolve("F" + i + ".java"), ("int f" + i + ";\n").repeat(300));
    }
    Path copy = Files.createDirectory(folder.resolve("copy"));

    MappingReport report = new MappingBenchmark(ConfigFactory.load()).run(tree, copy, 2, 3, 1);

    assertThat(report.files()).isEqualTo(30);
    assertThat(report.lines()).isEqualTo(30 * 300);
    assertThat(report.mappings()).hasSize(2).allMatch(took -> took.seconds() > 0);
    assertThat(report.changedPages())
        .as("each change makes a page anew, and few of its neighbours")
        .isBetween(6, 6 * 3);
    assertThat(report.toText()).contains("30 files, 9000 lines", "mapped in", "one changed file");
    assertThat(report.toJson()).contains("\"files\":30");
    assertThat(Files.readString(tree.resolve("F0.java"))).doesNotContain("change");
  }

  @Test
  void aTreeWithoutTextIsRefused() throws IOException {
    Path tree = Files.createDirectory(folder.resolve("tree"));
    assertThatThrownBy(() ->
            new MappingBenchmark(ConfigFactory.load()).run(tree, folder.resolve("copy"), 1, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("holds no text files");
  }
}
