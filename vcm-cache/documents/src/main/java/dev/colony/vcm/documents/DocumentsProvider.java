package dev.colony.vcm.documents;

import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.ContextPageSourceProvider;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.FileTreeSource.FileTreeProvider;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.source.SourceSpec;
import dev.colony.vcm.source.TextReader;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** {@code documents:DIRECTORY}: a {@link DocumentSource}. */
public final class DocumentsProvider implements ContextPageSourceProvider {

  @Section("colony.vcm.documents")
  private record Keys(@Range(min = "1 B", max = "1 GiB") long maxDocumentBytes) {}

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
    long mostBytes = Settings.read(Keys.class, context.config()).maxDocumentBytes();
    SourceSpec tree =
        new SourceSpec(SourceSpec.FILE, spec.place(), spec.parameters(), spec.fragment());
    return new DocumentSource(
        Path.of(spec.place()),
        new FileTreeProvider().open(tree, context),
        new DocumentReader(mostBytes, new TextReader(SourceSettings.fromConfig(context.config()))));
  }

  /**
   * A directory's text files together with the texts of its PDF and office documents, each under
   * the document's own name. Which files there are, and what a watch tells of, is as of a file
   * tree.
   */
  static final class DocumentSource implements ContextPageSource {

    private final Path root;
    private final ContextPageSource tree;
    private final DocumentReader reader;

    DocumentSource(Path root, ContextPageSource tree, DocumentReader reader) {
      this.root = root;
      this.tree = tree;
      this.reader = reader;
    }

    @Override
    public SourceReading read(SourceProgress progress) {
      return withDocuments(tree.read(progress));
    }

    @Override
    public SourceReading reread(
        SourceReading.Read before, Set<String> changed, SourceProgress progress) {
      return withDocuments(tree.reread(before, changed, progress));
    }

    private SourceReading withDocuments(SourceReading reading) {
      return switch (reading) {
        case SourceReading.Refused refused -> refused;
        case SourceReading.Read read ->
            new SourceReading.Read(
                read.label(),
                read.files().stream().map(this::document).toList(),
                read.unreadable(),
                read.coChange(),
                Optional.of("documents:" + root.toAbsolutePath().normalize()));
      };
    }

    private SourceFile document(SourceFile file) {
      return reader.reads(file.path())
          ? new SourceFile(file.path(), file.stamp(), () -> reader.read(root.resolve(file.path())))
          : file;
    }

    @Override
    public Optional<FileText> file(String path) {
      // The tree says whether the path leads out of it.
      return tree.file(path)
          .map(found -> reader.reads(path) ? reader.read(root.resolve(path)) : found);
    }

    @Override
    public Optional<SourceWatch> watch(SourceWatch.Listener listener) {
      return tree.watch(listener);
    }
  }
}
