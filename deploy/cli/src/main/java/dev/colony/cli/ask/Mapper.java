package dev.colony.cli.ask;

import com.typesafe.config.Config;
import dev.colony.cli.ask.AskReport.Amount;
import dev.colony.cli.local.StateDirectory.KeptMappings;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Progress;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingMemory;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.PageMapper;
import dev.colony.vcm.mapping.SourceMapping;
import dev.colony.vcm.mapping.SourceMapping.SourceChanged;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.source.WatchSettings;
import dev.colony.vcm.store.PageAccessSettings;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/** Maps sources to pages, and prints the progress. */
public final class Mapper {

  private static final String STAGE = "mapping";

  private final Config config;
  private final PageMapper mapper;

  public Mapper(Config config) {
    this.config = config;
    GroupingSettings grouping = GroupingSettings.fromConfig(config);
    mapper =
        new PageMapper(
            grouping, SourceSettings.fromConfig(config), TokenCounter.named(grouping.tokenizer()));
  }

  public PageMapper mapper() {
    return mapper;
  }

  /**
   * Blocks until a directory is mapped.
   *
   * @throws CommandFailure if it cannot be, with the reason
   */
  public MappingResult.Mapped map(Path directory, Progress progress) {
    return shown(
        of(new FileTreeSource(directory, SourceSettings.fromConfig(config), WatchSettings.USUAL))
            .map((stage, done, total) -> progress.at(STAGE, done, total)),
        progress);
  }

  private SourceMapping of(ContextPageSource source) {
    return mapper.of(source, PageLabel.of(PageAccessSettings.fromConfig(config).sensitivity()));
  }

  /**
   * The same, of what has changed since the source was mapped from this machine, where that is
   * kept.
   *
   * @param spec names the source, for what is kept of it
   */
  public Again map(ContextPageSource source, String spec, KeptMappings kept, Progress progress) {
    SourceMapping mapping = of(source);
    Optional<MappingMemory> memory = kept.of(spec).filter(mapping::recall);
    MappingResult.Mapped mapped =
        shown(mapping.map((stage, done, total) -> progress.at(STAGE, done, total)), progress);
    mapping
        .remember()
        .filter(now -> !memory.equals(Optional.of(now)))
        .ifPresent(now -> kept.keep(spec, now));
    return new Again(mapped, memory.map(MappingMemory::map));
  }

  /**
   * A source that may have been mapped before.
   *
   * @param before the id of the map that was made then; it need not be stored
   */
  public record Again(MappingResult.Mapped mapped, Optional<String> before) {}

  /**
   * Prints what a mapping came to, and gives it back.
   *
   * @throws CommandFailure if the source was refused, with the reason
   */
  public static MappingResult.Mapped shown(MappingResult result, Progress progress) {
    return switch (result) {
      case MappingResult.Refused refused -> throw CommandFailure.badInput(refused.reason());
      case MappingResult.Mapped mapped -> {
        progress.done(
            STAGE,
            "%d files, %d pages, %s tokens"
                .formatted(
                    mapped.map().files(),
                    mapped.map().pages(),
                    Amount.tokens(mapped.map().sizeTokens())));
        mapped.skipped().line().ifPresent(progress::note);
        yield mapped;
      }
    };
  }

  /**
   * Does something with a mapping's pages, whose texts may be read once more.
   *
   * @throws CommandFailure if the source has changed since it was mapped
   */
  public static <T> T unchanged(MappingResult.Mapped mapped, Supplier<T> work) {
    try {
      return work.get();
    } catch (SourceChanged changed) {
      throw CommandFailure.unsuccessful(
          mapped.map().source() + ": " + changed.getMessage(), changed);
    }
  }
}
