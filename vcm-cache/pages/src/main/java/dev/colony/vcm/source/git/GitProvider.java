package dev.colony.vcm.source.git;

import dev.colony.vcm.settings.GitSettings;
import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.settings.WatchSettings;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSourceProvider;
import dev.colony.vcm.source.SourceContext;
import dev.colony.vcm.source.SourceSpec;
import java.nio.file.Path;

/** {@code git:PATH?history=N#REVISION}: a {@link GitSource}. */
public final class GitProvider implements ContextPageSourceProvider {

  @Override
  public String scheme() {
    return "git";
  }

  @Override
  public String form() {
    return "git:PATH?history=N#REVISION";
  }

  @Override
  public ContextPageSource open(SourceSpec spec, SourceContext context) {
    GitSettings git = GitSettings.fromConfig(context.config());
    int history = spec.number("history", git.history(), 0, GitSettings.MOST_HISTORY);
    return new GitSource(
        Path.of(spec.place().isEmpty() ? "." : spec.place()),
        spec.fragment().orElse("HEAD"),
        new GitSettings(history, git.mostFilesTogether()),
        SourceSettings.fromConfig(context.config()),
        WatchSettings.fromConfig(context.config()));
  }
}
