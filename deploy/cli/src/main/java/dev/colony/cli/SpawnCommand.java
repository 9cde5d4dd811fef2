package dev.colony.cli;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.client.Colony;
import dev.colony.blackboard.value.Text;
import dev.colony.cli.BoardOptions.ColonyOptions;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.core.registry.AgentTypes;
import dev.colony.core.registry.BlueprintFile;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "spawn",
    description = {
      "Spawns the agent that a file describes, and prints its id. The file is checked first: each"
          + " problem is a line FILE:LINE:COLUMN: what is wrong.",
      "Spawning it again changes nothing.",
    })
final class SpawnCommand implements Callable<Integer> {

  @Parameters(paramLabel = "FILE", description = "A blueprint as JSON; comments are fine.")
  private Path file;

  @Option(
      names = "--name",
      paramLabel = "N",
      converter = Words.Name.class,
      description = "The agent's (default: the one in the file, else the name of the file).")
  private Optional<String> name;

  @Option(
      names = "--tenant",
      paramLabel = "T",
      defaultValue = "local",
      converter = Words.Name.class,
      description = "Whose agent it is (default: ${DEFAULT-VALUE}).")
  private String tenant;

  @Option(
      names = "--colony",
      paramLabel = "C",
      defaultValue = "main",
      converter = Words.Name.class,
      description = "Where it lives (default: ${DEFAULT-VALUE}).")
  private String colony;

  @Option(
      names = "--if-absent",
      description = "Leaves an agent of that name as it is, also one of another blueprint.")
  private boolean ifAbsent;

  @Option(names = "--check", description = "Checks the file and spawns nothing.")
  private boolean check;

  @Mixin private JsonOption json;

  @Mixin private ColonyOptions reach;

  /** What {@code --json} prints. */
  record SpawnedAgent(AgentId agentId, boolean spawned) {}

  @Override
  public Integer call() {
    BlueprintFile described = read(file);
    AgentId id = new AgentId(tenant, colony, name.or(described::name).orElseGet(this::fileName));
    if (check) {
      say(id, false, "the file is in order");
      return ExitCode.OK.status();
    }
    boolean there = reach.with(known -> spawn(known, id, described));
    say(
        id,
        !there,
        there ? "it is there already" : "spawned; ask it with: colony ask " + id + " TEXT");
    return ExitCode.OK.status();
  }

  private void say(AgentId id, boolean spawned, String note) {
    json.print(new SpawnedAgent(id, spawned), id::toString);
    if (!json.given()) {
      BoardOptions.note(note);
    }
  }

  /** Whether it was there before. */
  private boolean spawn(Colony known, AgentId id, BlueprintFile described) {
    boolean there = known.agent(id).state().join().isPresent();
    if (there && ifAbsent) {
      return true;
    }
    try {
      known.spawn(id, described.blueprint()).join();
    } catch (CompletionException failure) {
      if (there && failure.getCause() instanceof AgentException refused) {
        throw CommandFailure.unsuccessful(
            refused.getMessage() + ": give it another --name, or leave that one with --if-absent",
            refused);
      }
      throw failure;
    }
    return there;
  }

  /**
   * What a file describes.
   *
   * @throws CommandFailure if it describes no agent; what is wrong has been said on standard error
   */
  static BlueprintFile read(Path file) {
    return switch (BlueprintFile.read(text(file), AgentTypes.installed())) {
      case BlueprintFile.Read read -> read.file();
      case BlueprintFile.Refused refused -> {
        refused.problems().forEach(one -> System.err.println(Printable.of(file + ":" + one)));
        int count = refused.problems().size();
        throw CommandFailure.badInput(
            "%s describes no agent: %d %s"
                .formatted(file, count, count == 1 ? "problem" : "problems"));
      }
    };
  }

  private static String text(Path file) {
    try {
      if (Files.isRegularFile(file) && Files.size(file) > BlueprintFile.MAX_BYTES) {
        throw CommandFailure.badInput(
            "%s has %,d bytes, more than a blueprint may: %,d"
                .formatted(file, Files.size(file), BlueprintFile.MAX_BYTES));
      }
      // Editors of some systems put a mark of the encoding first.
      return Text.ofFile(file, BlueprintFile.MAX_BYTES).replaceFirst("^\\uFEFF", "");
    } catch (IllegalArgumentException large) {
      throw CommandFailure.badInput(
          "%s has more bytes than a blueprint may: %,d".formatted(file, BlueprintFile.MAX_BYTES),
          large);
    } catch (CharacterCodingException binary) {
      throw CommandFailure.badInput(file + " is no text in UTF-8", binary);
    } catch (IOException unreadable) {
      throw CommandFailure.badInput(
          Files.exists(file)
              ? file + " cannot be read: give a file with a blueprint"
              : "there is no file " + file,
          unreadable);
    }
  }

  private String fileName() {
    String last = String.valueOf(file.getFileName()).replaceFirst("\\.[^.]*$", "");
    try {
      return new AgentId(tenant, colony, last).name();
    } catch (IllegalArgumentException unfit) {
      throw CommandFailure.badInput(
          file + " names no agent: give it a \"name\", or give --name", unfit);
    }
  }
}
