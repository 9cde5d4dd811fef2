package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.cli.CommandOptions.ScopeParameter;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.cli.terminal.ValueInput;
import java.time.Duration;
import java.util.Set;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes an entry. */
@Command(name = "put", description = "Writes an entry; its event reaches every subscriber of it.")
final class BoardPutCommand extends StoreCommand {

  @Mixin private ScopeParameter on;

  @Parameters(
      index = "1",
      paramLabel = "KEY",
      converter = Words.Key.class,
      description = "Relative to the scope.")
  private String key;

  @Parameters(
      index = "2",
      paramLabel = "VALUE",
      description = "JSON; - reads it from standard input; one like an option goes after --.")
  private String value;

  @Option(names = "--text", description = "VALUE is plain text, not JSON.")
  private boolean text;

  @Option(names = "--tag", paramLabel = "T", converter = Words.Tag.class)
  private Set<String> tags = Set.of();

  @Option(
      names = "--ttl",
      paramLabel = "D",
      description = "After how long the entry is gone, for example 90s or 2h (default: never).")
  private Duration ttl;

  @ArgGroup private Expected expected = new Expected();

  @Option(
      names = "--writer",
      paramLabel = "NAME",
      defaultValue = BoardOptions.WRITER,
      description = "Who the entry is written by (default: ${DEFAULT-VALUE}).")
  private String writer;

  /** What must be there for the write to happen. */
  private static final class Expected {

    @Option(
        names = "--expect",
        paramLabel = "VERSION",
        description = "Writes only if the entry has this version; 0: if it is absent.")
    private Long version;

    @Option(names = "--if-absent", description = "Writes only if there is no entry.")
    private boolean absent;
  }

  @Override
  public Integer call() {
    if (writer.isBlank()) {
      throw CommandFailure.badInput("--writer is empty");
    }
    int maxBytes = BlackboardSettings.fromConfig(board.config()).maxValueBytes();
    ValueInput input = new ValueInput(text, maxBytes);
    Write write = write(value.equals("-") ? input.read(System.in) : input.read(value));
    return report(
        board.with(blackboards ->
            // Only what the value is can be refused here: the rest is checked.
            BoardOptions.refusing(() -> blackboards.open(on.scope(), writer).write(write))
                .toCompletableFuture()
                .join()));
  }

  private Write write(JsonNode node) {
    return BoardOptions.refusing(() -> {
      Write write = Write.of(key, node).tags(tags.toArray(String[]::new));
      if (ttl != null) {
        write = write.ttl(ttl);
      }
      if (expected.absent) {
        return write.ifAbsent();
      }
      return expected.version == null ? write : write.expectVersion(expected.version);
    });
  }

  private int report(WriteResult result) {
    ObjectNode form = JsonNodeFactory.instance.objectNode().put("key", key);
    return switch (result) {
      case WriteResult.Written written -> {
        form.put("version", written.version()).put("position", written.position().toString());
        System.out.println(
            json.given()
                ? Printable.line(form)
                : "version %d at %s".formatted(written.version(), written.position()));
        yield ExitCode.OK.status();
      }
      case WriteResult.VersionConflict conflict -> {
        if (json.given()) {
          System.out.println(Printable.line(form.put("actualVersion", conflict.actualVersion())));
        }
        throw CommandFailure.unsuccessful(
            conflict.actualVersion() == 0
                ? "nothing was written: " + key + " is absent"
                : "nothing was written: %s has version %d"
                    .formatted(key, conflict.actualVersion()));
      }
    };
  }
}
