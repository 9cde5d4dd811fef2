package dev.colony.cli.ask;

import com.typesafe.config.Config;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Progress;
import dev.colony.vcm.grouping.MappingResult;
import dev.colony.vcm.grouping.PageMapper;
import dev.colony.vcm.settings.GroupingSettings;
import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.tokens.TokenCounter;
import java.nio.file.Path;

/** Maps a directory to pages, and prints the progress. */
public final class Mapper {

  private static final String STAGE = "mapping";

  private final SourceSettings source;
  private final PageMapper mapper;

  public Mapper(Config config) {
    source = SourceSettings.fromConfig(config);
    mapper =
        new PageMapper(GroupingSettings.fromConfig(config), source.threads(), new TokenCounter());
  }

  /**
   * Blocks until the directory is mapped.
   *
   * @throws CommandFailure if it cannot be, with the reason
   */
  public MappingResult.Mapped map(Path directory, Progress progress) {
    FileTreeSource tree = new FileTreeSource(directory, source);
    MappingResult result =
        mapper.map(tree, (stage, done, total) -> progress.at(STAGE, done, total));
    return switch (result) {
      case MappingResult.Refused refused ->
          throw new CommandFailure(ExitCode.BAD_INPUT, refused.reason());
      case MappingResult.Mapped mapped -> {
        progress.done(
            STAGE,
            "%d files, %d pages, %s tokens"
                .formatted(
                    mapped.map().files(),
                    mapped.map().pages(),
                    Amount.tokens(mapped.map().sizeTokens())));
        int unreadable = mapped.skipped().unreadable();
        if (unreadable > 0) {
          progress.note(
              "%d files cannot be read and were left out, the first is %s"
                  .formatted(unreadable, mapped.skipped().unreadableNames().getFirst()));
        }
        yield mapped;
      }
    };
  }
}
