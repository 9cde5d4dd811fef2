package dev.colony.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A simulator that does not end is ended, and what it has started with it. */
class SimulatorTest {

  @TempDir private Path folder;

  @Test
  void oneThatTakesTooLongIsEndedWithItsChildren() throws IOException {
    Path trace =
        Files.writeString(
            folder.resolve("endless.jsonl"), "{\"input_length\": 1, \"hash_ids\": [1]}\n");
    Simulator simulator =
        new Simulator(SmallSimulator.interpreter(folder), trace, Duration.ofSeconds(1), folder);
    Simulator.Cell cell = new Simulator.Cell(Trace.open(trace), 1, 1, 1, 0);
    assertThatThrownBy(() -> simulator.run(cell, List.of("first")))
        .isInstanceOf(Simulator.FailedException.class)
        .hasMessageContaining("longer than 1 s");
    assertThat(
            ProcessHandle.current()
                .descendants()
                .filter(child -> {
                  String line = child.info().commandLine().orElse("");
                  return line.contains("sleep 600") || line.contains(folder.toString());
                })
                .filter(ProcessHandle::isAlive))
        .isEmpty();
  }
}
