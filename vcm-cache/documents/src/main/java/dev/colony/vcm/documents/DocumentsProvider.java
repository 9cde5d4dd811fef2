package dev.colony.vcm.documents;

import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSourceProvider;
import dev.colony.vcm.source.FileTreeSource.FileTreeProvider;
import dev.colony.vcm.source.SourceSpec;

/** {@code documents:DIRECTORY}: another name for a directory, whose documents are read anyway. */
public final class DocumentsProvider implements ContextPageSourceProvider {

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
    return new FileTreeProvider()
        .open(
            new SourceSpec(SourceSpec.FILE, spec.place(), spec.parameters(), spec.fragment()),
            context);
  }
}
