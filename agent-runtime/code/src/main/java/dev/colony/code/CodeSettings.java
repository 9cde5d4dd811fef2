package dev.colony.code;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code colony.code}; reference.conf says what each means.
 *
 * @param engines the node's, and how long a cell waits for one
 * @param cell what one cell may take
 * @param variables what is kept between cells
 * @param outputChars how much of what a cell prints is shown
 * @param previewChars how much of a value the model sees without asking
 * @param shownVariables how many variables it sees without asking
 * @param failingCells in a row until the run fails
 */
public record CodeSettings(
    Engines engines,
    Cell cell,
    Variables variables,
    int outputChars,
    int previewChars,
    int shownVariables,
    int failingCells) {

  /**
   * The engines of a node.
   *
   * @param atOnce cells that are executed at a time
   * @param patience how long a cell waits for one
   * @param ready made ahead of need
   * @param abandoned threads that do not end, until no further cell is executed
   */
  public record Engines(int atOnce, int ready, Duration patience, Duration grace, int abandoned) {}

  /**
   * What one cell may take.
   *
   * @param time by the clock; neither it nor {@code cpu} runs while an action does
   * @param calls of actions
   * @param valueBytes of a value that passes between the cell and the node
   */
  public record Cell(
      int sourceChars,
      int memoryBytes,
      int stackBytes,
      Duration cpu,
      Duration time,
      int calls,
      int valueBytes) {}

  /** The largest variable, and all of a run's together. */
  public record Variables(int oneBytes, int allBytes) {}

  private static final String PATH = "colony.code";
  private static final int KIB = 1024;
  private static final int MIB = 1024 * KIB;

  /** The defaults of {@code reference.conf}. */
  public static final CodeSettings DEFAULTS =
      fromConfig(ConfigFactory.defaultReference(CodeSettings.class.getClassLoader()));

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static CodeSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, PATH);
    Duration least = Duration.ofMillis(100);
    return new CodeSettings(
        new Engines(
            read.integer("engines", 1, 1_000),
            read.integer("ready", 0, 100),
            read.duration("engine-wait", Duration.ofSeconds(1), Duration.ofHours(1)),
            read.duration("grace", least, Duration.ofMinutes(1)),
            read.integer("abandoned", 1, 1_000)),
        new Cell(
            read.integer("source-chars", 100, 1_000_000),
            read.bytes("memory", 4 * MIB, 1024 * MIB),
            read.bytes("stack", 512 * KIB, 64 * MIB),
            read.duration("cpu", least, Duration.ofMinutes(10)),
            read.duration("time", least, Duration.ofHours(1)),
            read.integer("calls", 1, 10_000),
            read.bytes("value", KIB, 64 * MIB)),
        new Variables(read.bytes("variable", 100, 8 * MIB), read.bytes("variables", 100, 64 * MIB)),
        read.integer("output-chars", 100, 1_000_000),
        read.integer("preview-chars", 16, 10_000),
        read.integer("shown-variables", 1, 10_000),
        read.integer("failing-cells", 1, 1_000));
  }
}
