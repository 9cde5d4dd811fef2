package dev.colony.vcm.source;

import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.work.Parallel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The text files of a directory and all below it, as git would see them: {@code .gitignore} files
 * hold at every level, those above the directory included up to the root of its git work tree.
 * {@code .git} and {@code .colony} are left out and links inside the tree are not followed, so that
 * no file is read twice and no loop is entered.
 *
 * <p>A file counts as text if it is valid UTF-8 without a NUL byte. One that cannot be read is
 * counted and named in the result, never fatal. Reads with a bounded number of threads.
 */
public final class FileTreeSource implements ContextPageSource {

  private final Path root;
  private final SourceSettings settings;
  private final FileContent content;

  /**
   * Nothing is read yet.
   *
   * @param root as the person gave it: refusals name it so
   */
  public FileTreeSource(Path root, SourceSettings settings) {
    this(root, settings, FileContent.ON_DISK);
  }

  FileTreeSource(Path root, SourceSettings settings, FileContent content) {
    this.root = root;
    this.settings = settings;
    this.content = content;
  }

  @Override
  public SourceReading read(SourceProgress progress) {
    Optional<String> refusal = refusal();
    if (refusal.isPresent()) {
      return refused(refusal.get());
    }
    FileTreeWalk walk = new FileTreeWalk(root, settings.maxFiles());
    List<Path> paths;
    try {
      paths = walk.walk();
    } catch (IOException failure) {
      return refused("cannot be read");
    }
    if (paths.size() > settings.maxFiles()) {
      return refused(
          "holds more than "
              + settings.maxFiles()
              + " files; colony.vcm.source.max-files sets the limit");
    }
    return read(paths, walk.unreadable(), progress);
  }

  private Optional<String> refusal() {
    if (!Files.exists(root)) {
      return Optional.of("no such directory");
    }
    if (!Files.isDirectory(root)) {
      return Optional.of("is a file, give a directory");
    }
    return Files.isReadable(root) && Files.isExecutable(root)
        ? Optional.empty()
        : Optional.of("cannot be read");
  }

  private SourceReading read(List<Path> paths, List<String> unlisted, SourceProgress progress) {
    FileReader reader = new FileReader(settings, content);
    AtomicInteger done = new AtomicInteger();
    List<FileReader.Outcome> outcomes =
        Parallel.map(
            settings.threads(),
            paths,
            path -> {
              FileReader.Outcome outcome = reader.read(root.resolve(path));
              progress.at(SourceProgress.Stage.READING, done.incrementAndGet(), paths.size());
              return outcome;
            });
    List<SourceFile> files = new ArrayList<>();
    Skips skips = new Skips(unlisted);
    for (int i = 0; i < paths.size(); i++) {
      String path = paths.get(i).toString().replace('\\', '/');
      switch (outcomes.get(i)) {
        case FileReader.Text text -> files.add(new SourceFile(path, text.text()));
        case FileReader.Empty ignored -> {}
        case FileReader.Binary ignored -> skips.binary++;
        case FileReader.Oversized ignored -> skips.oversized++;
        case FileReader.Unreadable ignored -> skips.unreadable.add(path);
        case FileReader.SourceFull ignored -> {
          return refused(
              "holds more than "
                  + settings.maxTotalBytes()
                  + " bytes of text; colony.vcm.source.max-total-bytes sets the limit");
        }
      }
    }
    return files.isEmpty()
        ? refused("holds no text files")
        : new SourceReading.Read(root.toString(), files, skips.result());
  }

  private SourceReading.Refused refused(String reason) {
    return new SourceReading.Refused(root + ": " + reason);
  }

  /** The counts while they are made. */
  private static final class Skips {
    private final List<String> unreadable;
    private int binary;
    private int oversized;

    Skips(List<String> unlisted) {
      this.unreadable = new ArrayList<>(unlisted);
    }

    SkippedFiles result() {
      unreadable.sort(null);
      return new SkippedFiles(
          binary,
          oversized,
          unreadable.size(),
          unreadable.subList(0, Math.min(SkippedFiles.NAMES, unreadable.size())));
    }
  }
}
