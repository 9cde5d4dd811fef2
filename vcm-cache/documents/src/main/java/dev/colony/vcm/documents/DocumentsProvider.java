package dev.colony.vcm.documents;

import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSourceProvider;
import dev.colony.vcm.source.FileTreeProvider;
import dev.colony.vcm.source.SourceContext;
import dev.colony.vcm.source.SourceSpec;
import dev.colony.vcm.source.TextReader;
import java.nio.file.Path;

/** {@code documents:DIRECTORY}: a {@link DocumentSource}. */
public final class DocumentsProvider implements ContextPageSourceProvider {

  private static final String MOST_BYTES = "colony.vcm.documents.max-document-bytes";

  @Override
  public String scheme() {
    return "documents";
  }

  @Override
  public String form() {
    return "documents:DIRECTORY";
  }

  @Override
  public ContextPageSource open(SourceSpec spec, SourceContext context) {
    if (spec.place().isEmpty()) {
      throw new IllegalArgumentException("documents: names no directory; write " + form());
    }
    long mostBytes = context.config().getBytes(MOST_BYTES);
    if (mostBytes < 1 || mostBytes > 1 << 30) {
      throw new IllegalArgumentException(
          MOST_BYTES + " is " + mostBytes + ", must be 1 to " + (1 << 30));
    }
    SourceSpec tree =
        new SourceSpec(SourceSpec.FILE, spec.place(), spec.parameters(), spec.fragment());
    return new DocumentSource(
        Path.of(spec.place()),
        new FileTreeProvider().open(tree, context),
        new DocumentReader(mostBytes, new TextReader(SourceSettings.fromConfig(context.config()))));
  }
}
