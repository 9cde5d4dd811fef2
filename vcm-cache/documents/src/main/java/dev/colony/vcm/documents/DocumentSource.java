package dev.colony.vcm.documents;

import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.FileText;
import dev.colony.vcm.source.SourceFile;
import dev.colony.vcm.source.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceWatch;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * A directory's text files together with the texts of its PDF and office documents, each under the
 * document's own name. Which files there are, and what a watch tells of, is as of a file tree.
 */
final class DocumentSource implements ContextPageSource {

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
