package dev.colony.vcm.source;

import dev.colony.blackboard.server.StateFolder;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.FileTreeWalk.FileStamp;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.TextReader.FileContent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The text files of a directory and all below it, as git would see them: {@code .gitignore} files
 * hold at every level, those above the directory included up to the root of its git work tree.
 * {@code .git} and {@code .colony} are left out, and so is each directory that holds a file {@link
 * #NO_SOURCE}. Links inside the tree are not followed, so that no file is read twice and no loop is
 * entered.
 *
 * <p>Folders of the code of others and of what builds make are passed over and told of. Looking
 * through a tree costs as much as it has files; after changes that a watch has told of, as much as
 * these are, unless files came or ignore rules changed.
 */
public final class FileTreeSource implements ContextPageSource {

  /**
   * Marks a directory that is no source: one in which a cluster keeps its state, with what agents
   * know and the password of its Redis.
   */
  public static final String NO_SOURCE = StateFolder.MARK;

  private static final String IGNORE_FILE = ".gitignore";

  private final Path root;
  private final SourceSettings settings;
  private final WatchSettings watching;
  private final TextReader reader;

  /**
   * Nothing is read yet.
   *
   * @param root as the caller gave it: refusals name it so
   */
  public FileTreeSource(Path root, SourceSettings settings, WatchSettings watching) {
    this(root, settings, watching, FileContent.ON_DISK);
  }

  FileTreeSource(Path root, SourceSettings settings, WatchSettings watching, FileContent content) {
    this.root = root;
    this.settings = settings;
    this.watching = watching;
    this.reader = new TextReader(settings, content);
  }

  @Override
  public SourceReading read(SourceProgress progress) {
    Optional<String> refusal = refusal();
    if (refusal.isPresent()) {
      return refused(refusal.get());
    }
    FileTreeWalk walk = new FileTreeWalk(root, settings.maxFiles());
    List<SourceFile> files = new ArrayList<>();
    try {
      for (FileTreeWalk.Found found : walk.walk()) {
        files.add(at(found.path(), found.stamp()));
      }
    } catch (IOException failure) {
      return refused("cannot be read");
    }
    if (files.size() > settings.maxFiles()) {
      return refused(
          "holds more than "
              + settings.maxFiles()
              + " files; colony.vcm.source.max-files sets the limit");
    }
    return new SourceReading.Read(
        root.toString(),
        files,
        walk.unreadable(),
        walk.vendored(),
        CoChange.NONE,
        Optional.of(reference()));
  }

  @Override
  public SourceReading reread(
      SourceReading.Read before, Set<String> changed, SourceProgress progress) {
    Map<String, SourceFile> files = new HashMap<>();
    for (SourceFile file : before.files()) {
      if (changed.contains(file.path())) {
        files.put(file.path(), file);
      }
    }
    for (String path : changed) {
      if (!files.containsKey(path) || path.endsWith(IGNORE_FILE)) {
        return read(progress);
      }
      try {
        Path file = root.resolve(path);
        files.put(path, at(Path.of(path), FileStamp.of(FileStamp.attributes(file))));
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          return read(progress);
        }
      } catch (IOException gone) {
        files.remove(path);
      }
    }
    List<SourceFile> all = new ArrayList<>(before.files().size());
    for (SourceFile file : before.files()) {
      if (!changed.contains(file.path())) {
        all.add(file);
      } else if (files.containsKey(file.path())) {
        all.add(files.get(file.path()));
      }
    }
    return new SourceReading.Read(
        before.label(),
        all,
        before.unreadable(),
        before.vendored(),
        before.coChange(),
        before.reference());
  }

  @Override
  public Optional<FileText> file(String path) {
    Path file = root.resolve(path).normalize();
    return file.startsWith(root.normalize()) ? Optional.of(reader.listed(file)) : Optional.empty();
  }

  @Override
  public Optional<SourceWatch> watch(SourceWatch.Listener listener) {
    return Optional.of(TreeWatch.start(root, FileTreeWalk.entered(root), watching, listener));
  }

  private SourceFile at(Path path, String stamp) {
    Path file = root.resolve(path);
    return new SourceFile(path.toString().replace('\\', '/'), stamp, () -> reader.listed(file));
  }

  private String reference() {
    return SourceSpec.FILE + ":" + root.toAbsolutePath().normalize();
  }

  private Optional<String> refusal() {
    if (!Files.exists(root)) {
      return Optional.of("no such directory");
    }
    if (!Files.isDirectory(root)) {
      return Optional.of("is a file, give a directory, or text:" + root);
    }
    if (FileTreeWalk.never(root)) {
      return Optional.of("is a state directory of Colony, which holds no source");
    }
    return Files.isReadable(root) && Files.isExecutable(root)
        ? Optional.empty()
        : Optional.of("cannot be read");
  }

  private SourceReading.Refused refused(String reason) {
    return new SourceReading.Refused(root + ": " + reason);
  }

  /** {@code file:PATH}: a {@link FileTreeSource}. */
  public static final class FileTreeProvider implements ContextPageSourceProvider {

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
      GitSource.GitProvider.JAR.require("a source " + form());
      if (spec.place().isEmpty()) {
        throw new IllegalArgumentException("file: names no directory; write " + form());
      }
      return new FileTreeSource(
          Path.of(spec.place()), SourceSettings.fromConfig(context.config()), WatchSettings.USUAL);
    }
  }
}
