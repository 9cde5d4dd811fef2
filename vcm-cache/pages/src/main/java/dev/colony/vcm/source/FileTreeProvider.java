package dev.colony.vcm.source;

import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.settings.WatchSettings;
import java.nio.file.Path;

/** {@code file:PATH}: a {@link FileTreeSource}. */
public final class FileTreeProvider implements ContextPageSourceProvider {

  @Override
  public String scheme() {
    return SourceSpec.FILE;
  }

  @Override
  public String form() {
    return "file:DIRECTORY";
  }

  @Override
  public ContextPageSource open(SourceSpec spec, SourceContext context) {
    if (spec.place().isEmpty()) {
      throw new IllegalArgumentException("file: names no directory; write " + form());
    }
    return new FileTreeSource(
        Path.of(spec.place()),
        SourceSettings.fromConfig(context.config()),
        WatchSettings.fromConfig(context.config()));
  }
}
