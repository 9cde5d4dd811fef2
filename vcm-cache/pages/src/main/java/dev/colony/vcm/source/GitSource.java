package dev.colony.vcm.source;

import dev.colony.blackboard.OptionalJar;
import dev.colony.blackboard.value.Text;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.SourceReading.FileText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jgit.api.errors.JGitInternalException;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.RevisionSyntaxException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.RepositoryCache;
import org.eclipse.jgit.lib.RepositoryCache.FileKey;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.PathFilter;
import org.eclipse.jgit.util.FS;

/**
 * The text files that a revision of a git repository holds, whatever the work tree holds, and the
 * latest commits before it, each as a file {@code .git/log/TIME-COMMIT.txt}. A directory below the
 * repository's root stands for what is in it. Links and submodules are left out.
 *
 * <p>All files are of one commit: what is committed while it is read changes nothing. A branch is
 * looked up at each reading. The commits also say which files are changed together.
 */
public final class GitSource implements ContextPageSource {

  /** A commit that changes more files ties none of them. */
  private static final int MOST_FILES_TOGETHER = 30;

  private static final String LOG_FOLDER = ".git/log/";

  private final Path path;
  private final String revision;
  private final int most;
  private final SourceSettings settings;
  private final WatchSettings watching;
  private final TextReader reader;
  private GitHistory history;

  /**
   * Reads nothing yet.
   *
   * @param path in the work tree or of a bare repository, as the caller gave it
   * @param revision a branch, a tag, a commit or what else git calls a revision
   */
  public GitSource(
      Path path, String revision, int most, SourceSettings settings, WatchSettings watching) {
    this.path = path;
    this.revision = revision;
    this.most = most;
    this.settings = settings;
    this.watching = watching;
    this.reader = new TextReader(settings);
  }

  /** A source that cannot be read, in one line. */
  private static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    Refusal(String reason) {
      super(reason);
    }
  }

  /** A repository, and the directory of it that is meant. */
  private record Opened(Repository repository, String prefix) implements AutoCloseable {
    @Override
    public void close() {
      repository.close();
    }
  }

  private Opened open() throws Refusal {
    if (!Files.isDirectory(path)) {
      throw new Refusal("no such directory");
    }
    try {
      Path real = path.toRealPath();
      Repository repository =
          repository(real).orElseThrow(() -> new Refusal("is in no git repository"));
      if (repository.isBare()) {
        return new Opened(repository, "");
      }
      Path tree = repository.getWorkTree().toPath().toRealPath();
      String below = real.startsWith(tree) ? tree.relativize(real).toString() : "";
      return new Opened(repository, below.replace('\\', '/'));
    } catch (IOException failure) {
      throw new Refusal("the repository cannot be read: " + Text.message(failure));
    }
  }

  /**
   * The repository that a directory is in; empty if it is in none.
   *
   * @throws IOException if it cannot be read, be it that its configuration is none
   */
  static Optional<Repository> repository(Path real) throws IOException {
    try {
      FileRepositoryBuilder builder = new FileRepositoryBuilder().findGitDir(real.toFile());
      return builder.getGitDir() == null
          ? Optional.empty()
          : Optional.of(builder.setMustExist(true).build());
    } catch (IllegalArgumentException | JGitInternalException unfit) {
      throw new IOException(unfit.getMessage(), unfit);
    }
  }

  private ObjectId commit(Repository repository) throws Refusal, IOException {
    try {
      ObjectId id = repository.resolve(revision + "^{commit}");
      if (id != null) {
        return id;
      }
    } catch (RevisionSyntaxException | MissingObjectException none) {
      // said below
    }
    throw new Refusal(
        revision.equals(Constants.HEAD)
            ? "has no commit yet"
            : "has no branch, tag or commit " + revision);
  }

  @Override
  public synchronized SourceReading read(SourceProgress progress) {
    try (Opened opened = open()) {
      Repository repository = opened.repository();
      ObjectId commit = commit(repository);
      Path gitDir = repository.getDirectory().toPath();
      List<SourceFile> files = new ArrayList<>();
      List<String> unreadable = new ArrayList<>();
      list(opened, commit, gitDir, files, unreadable);
      if (files.size() > settings.maxFiles()) {
        throw new Refusal(
            "holds more than "
                + settings.maxFiles()
                + " files; colony.vcm.source.max-files sets the limit");
      }
      Set<String> vendored = VendoredFolders.among(files.stream().map(SourceFile::path).toList());
      files.removeIf(file -> VendoredFolders.in(file.path(), vendored));
      if (history == null) {
        history = new GitHistory(opened.prefix(), most);
      }
      List<GitHistory.Commit> commits = history.before(repository, commit);
      for (GitHistory.Commit one : commits) {
        FileText text = reader.of(one.text().getBytes(StandardCharsets.UTF_8));
        files.add(new SourceFile(one.path(), one.id().name(), () -> text));
      }
      files.sort(Comparator.comparing(SourceFile::path));
      CoChange together =
          CoChange.of(
              commits.stream().map(GitHistory.Commit::changed).toList(), MOST_FILES_TOGETHER);
      return new SourceReading.Read(
          label() + "@" + commit.name().substring(0, 12),
          files,
          unreadable,
          List.copyOf(vendored),
          together,
          reference(commit));
    } catch (Refusal refusal) {
      return new SourceReading.Refused(label() + ": " + refusal.getMessage());
    } catch (IOException failure) {
      return new SourceReading.Refused(
          label() + ": the repository cannot be read: " + Text.message(failure));
    }
  }

  private void list(
      Opened opened, ObjectId commit, Path gitDir, List<SourceFile> files, List<String> unreadable)
      throws IOException {
    try (RevWalk revisions = new RevWalk(opened.repository());
        TreeWalk walk = new TreeWalk(opened.repository())) {
      RevCommit parsed = revisions.parseCommit(commit);
      walk.addTree(parsed.getTree());
      walk.setRecursive(true);
      String prefix = opened.prefix();
      if (!prefix.isEmpty()) {
        walk.setFilter(PathFilter.create(prefix));
      }
      while (walk.next() && files.size() <= settings.maxFiles()) {
        FileMode mode = walk.getFileMode(0);
        if (!mode.equals(FileMode.REGULAR_FILE) && !mode.equals(FileMode.EXECUTABLE_FILE)) {
          continue;
        }
        String name = walk.getPathString();
        String below = prefix.isEmpty() ? name : name.substring(prefix.length() + 1);
        ObjectId blob = walk.getObjectId(0);
        if (below.chars().anyMatch(Character::isISOControl)) {
          // The path stands in the page's header line.
          unreadable.add(below.replaceAll("\\p{Cntrl}", "?"));
        } else {
          files.add(new SourceFile(below, blob.name(), () -> text(gitDir, below, blob)));
        }
      }
    }
  }

  /** Out of the cache of repositories, so that it is not opened anew for each. */
  private FileText text(Path gitDir, String name, ObjectId blob) {
    try (Repository repository =
        RepositoryCache.open(FileKey.exact(gitDir.toFile(), FS.DETECTED), true)) {
      return text(repository, name, blob);
    } catch (IOException failure) {
      return new FileText.Left(FileText.Why.UNREADABLE);
    }
  }

  private FileText text(Repository repository, String name, ObjectId blob) throws IOException {
    ObjectLoader loader = repository.open(blob, Constants.OBJ_BLOB);
    return reader.listed(
        name,
        limit -> {
          try (InputStream in = loader.openStream()) {
            return in.readNBytes(limit);
          }
        });
  }

  @Override
  public Optional<FileText> file(String file) {
    if (file.startsWith(LOG_FOLDER)) {
      return logged(file);
    }
    try (Opened opened = open();
        RevWalk revisions = new RevWalk(opened.repository())) {
      RevCommit commit = revisions.parseCommit(commit(opened.repository()));
      String name = opened.prefix().isEmpty() ? file : opened.prefix() + "/" + file;
      try (TreeWalk walk = TreeWalk.forPath(opened.repository(), name, commit.getTree())) {
        return walk == null
            ? Optional.empty()
            : Optional.of(text(opened.repository(), file, walk.getObjectId(0)));
      }
    } catch (Refusal | IOException failure) {
      return Optional.of(new FileText.Left(FileText.Why.UNREADABLE));
    }
  }

  /** A commit of the history by the path of its file, whose end is its id. */
  private Optional<FileText> logged(String file) {
    String id = file.substring(file.lastIndexOf('-') + 1).replace(".txt", "");
    try (Opened opened = open()) {
      ObjectId commit = opened.repository().resolve(id + "^{commit}");
      return commit == null
          ? Optional.empty()
          : new GitHistory(opened.prefix(), 1)
              .before(opened.repository(), commit).stream()
                  .filter(one -> one.path().equals(file))
                  .map(one -> reader.of(one.text().getBytes(StandardCharsets.UTF_8)))
                  .findFirst();
    } catch (Refusal | IOException | RevisionSyntaxException failure) {
      return Optional.of(new FileText.Left(FileText.Why.UNREADABLE));
    }
  }

  @Override
  public Optional<SourceWatch> watch(SourceWatch.Listener listener) {
    if (ObjectId.isId(revision)) {
      return Optional.empty();
    }
    try (Opened opened = open()) {
      SourceWatch.Listener references =
          new SourceWatch.Listener() {
            @Override
            public void changed(Set<String> paths) {
              if (paths.stream().anyMatch(GitSource::reference)) {
                listener.anything();
              }
            }

            @Override
            public void anything() {
              listener.anything();
            }
          };
      Path gitDir = opened.repository().getDirectory().toPath();
      return Optional.of(
          TreeWatch.start(
              gitDir, folder -> reference(gitDir.relativize(folder) + "/"), watching, references));
    } catch (Refusal none) {
      return Optional.empty();
    }
  }

  /** Whether a file of the repository says which commit a name stands for. */
  private static boolean reference(String file) {
    return !file.endsWith(".lock")
        && (file.equals(Constants.HEAD)
            || file.equals(Constants.PACKED_REFS)
            || file.startsWith("refs/")
            || file.startsWith("logs/"));
  }

  /** A path in which a mark of a spec stands cannot be named by one. */
  private Optional<String> reference(ObjectId commit) {
    String place = path.toAbsolutePath().normalize().toString();
    return place.contains("?") || place.contains("#")
        ? Optional.empty()
        : Optional.of("git:" + place + "?history=0#" + commit.name());
  }

  private String label() {
    return "git:" + path + (revision.equals(Constants.HEAD) ? "" : "#" + revision);
  }

  /** {@code git:PATH?history=N#REVISION}: a {@link GitSource}. */
  public static final class GitProvider implements ContextPageSourceProvider {

    /** What reads a repository, and what it has its users leave out. */
    public static final OptionalJar JAR =
        new OptionalJar("org.eclipse.jgit:org.eclipse.jgit", "org.eclipse.jgit.ignore.IgnoreNode");

    private static final int MOST_HISTORY = 100_000;

    /** Commits that are read where the source says no number, about 1 ms each. */
    private static final int USUAL_HISTORY = 200;

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
      JAR.require("a source " + form());
      int history = spec.number("history", USUAL_HISTORY, 0, MOST_HISTORY);
      return new GitSource(
          Path.of(spec.place().isEmpty() ? "." : spec.place()),
          spec.fragment().orElse("HEAD"),
          history,
          SourceSettings.fromConfig(context.config()),
          WatchSettings.USUAL);
    }
  }
}
