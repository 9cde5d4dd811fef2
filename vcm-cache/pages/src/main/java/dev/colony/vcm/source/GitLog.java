package dev.colony.vcm.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.diff.DiffEntry;
import org.eclipse.jgit.diff.DiffFormatter;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.RevisionSyntaxException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevTree;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.PathFilter;
import org.eclipse.jgit.treewalk.filter.TreeFilter;
import org.eclipse.jgit.util.io.DisabledOutputStream;

/**
 * The commits of the repository that a directory is in, asked for by what they change below that
 * directory. Reads the disk at each call; not thread-safe.
 */
public final class GitLog implements AutoCloseable {

  private static final int MOST_NAMES = 200;

  private final Repository repository;
  private final String prefix;
  private final ObjectId revision;

  private GitLog(Repository repository, String prefix, ObjectId revision) {
    this.repository = repository;
    this.prefix = prefix;
    this.revision = revision;
  }

  /**
   * Opens the repository.
   *
   * @param directory in its work tree, or the repository itself where it is bare
   * @param revision from which on back is read: a branch, a tag, a commit, {@code HEAD}
   * @return empty where the directory is in no repository, or that has no such revision
   * @throws IOException if it is damaged or cannot be read
   */
  public static Optional<GitLog> open(Path directory, String revision) throws IOException {
    if (!Files.isDirectory(directory)) {
      return Optional.empty();
    }
    Path real = directory.toRealPath();
    Optional<Repository> found = GitSource.repository(real);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Repository repository = found.get();
    try {
      ObjectId commit = repository.resolve(revision + "^{commit}");
      if (commit != null) {
        return Optional.of(new GitLog(repository, prefix(repository, real), commit));
      }
    } catch (RevisionSyntaxException | MissingObjectException none) {
      // empty, as said
    }
    repository.close();
    return Optional.empty();
  }

  private static String prefix(Repository repository, Path directory) throws IOException {
    if (repository.isBare()) {
      return "";
    }
    Path tree = repository.getWorkTree().toPath().toRealPath();
    return directory.startsWith(tree)
        ? tree.relativize(directory).toString().replace('\\', '/')
        : "";
  }

  /**
   * The latest commits that change one of the paths, newest first. A merge counts where it differs
   * from its first parent.
   *
   * @param paths of files or directories, relative to the directory; empty for all below it
   * @param limit how many commits
   * @param looked how many commits are looked at to find them
   */
  public List<GitCommit> changing(Collection<String> paths, int limit, int looked)
      throws IOException {
    List<String> wanted =
        paths.isEmpty()
            ? List.of(prefix)
            : paths.stream().map(path -> prefix.isEmpty() ? path : prefix + "/" + path).toList();
    List<GitCommit> found = new ArrayList<>();
    Map<ObjectId, List<ObjectId>> known = new HashMap<>();
    try (RevWalk walk = new RevWalk(repository)) {
      walk.markStart(walk.parseCommit(revision));
      int seen = 0;
      for (RevCommit commit : walk) {
        if (found.size() == limit || seen++ == looked) {
          break;
        }
        List<ObjectId> before =
            commit.getParentCount() == 0
                ? wanted.stream().map(path -> ObjectId.zeroId()).toList()
                : states(walk.parseCommit(commit.getParent(0)).getTree(), wanted, known);
        if (!states(commit.getTree(), wanted, known).equals(before)) {
          found.add(read(commit, walk));
        }
        known.remove(commit.getTree().getId());
      }
    }
    return found;
  }

  /** What a tree has at each path, nothing as the id of zeros. */
  private List<ObjectId> states(
      RevTree tree, List<String> paths, Map<ObjectId, List<ObjectId>> known) throws IOException {
    List<ObjectId> states = known.get(tree.getId());
    if (states == null) {
      states = new ArrayList<>();
      for (String path : paths) {
        if (path.isEmpty()) {
          states.add(tree.getId());
        } else {
          try (TreeWalk walk = TreeWalk.forPath(repository, path, tree)) {
            states.add(walk == null ? ObjectId.zeroId() : walk.getObjectId(0));
          }
        }
      }
      known.put(tree.getId(), states);
    }
    return states;
  }

  private GitCommit read(RevCommit commit, RevWalk walk) throws IOException {
    SortedMap<String, String> files = new TreeMap<>();
    int[] more = {0};
    try (DiffFormatter diff = new DiffFormatter(DisabledOutputStream.INSTANCE)) {
      diff.setRepository(repository);
      diff.setPathFilter(prefix.isEmpty() ? TreeFilter.ALL : PathFilter.create(prefix));
      RevTree before =
          commit.getParentCount() == 0 ? null : walk.parseCommit(commit.getParent(0)).getTree();
      diff.scan(before, commit.getTree())
          .forEach(change -> {
            String path = path(change);
            if (files.size() < MOST_NAMES) {
              files.put(
                  (prefix.isEmpty() ? path : path.substring(prefix.length() + 1))
                      .replaceAll("\\p{Cntrl}", "?"),
                  String.valueOf(change.getChangeType().name().charAt(0)));
            } else {
              more[0]++;
            }
          });
    }
    walk.parseBody(commit);
    return new GitCommit(
        commit.name(),
        commit.getCommitterIdent().getWhenAsInstant(),
        commit.getAuthorIdent().getName(),
        commit.getFullMessage().strip(),
        files,
        more[0]);
  }

  private static String path(DiffEntry change) {
    return change.getChangeType() == DiffEntry.ChangeType.DELETE
        ? change.getOldPath()
        : change.getNewPath();
  }

  @Override
  public void close() {
    repository.close();
  }

  /**
   * A commit, as the files that a {@link GitSource} makes of the history tell of it, or as a
   * repository does.
   *
   * @param id in hexadecimal
   * @param files that it changed, relative to the directory that is looked at, with what was done:
   *     {@code A} for added, {@code M} for modified, {@code D} for deleted, {@code R} for renamed,
   *     {@code C} for copied
   * @param moreFiles that it changed besides
   */
  public record GitCommit(
      String id,
      Instant at,
      String author,
      String message,
      SortedMap<String, String> files,
      int moreFiles) {

    private static final Pattern FILE = Pattern.compile("([AMDRC]) (.+)");
    private static final Pattern MORE = Pattern.compile("and (\\d{1,9}) more files");

    /** The first line of the message; empty where it has none. */
    public String subject() {
      return message.lines().findFirst().orElse("");
    }

    /**
     * Reads the file that a {@link GitSource} makes of a commit; empty where the text is none of
     * these, or not all of it is there.
     */
    public static Optional<GitCommit> parse(List<String> lines) {
      if (lines.size() < 4
          || !lines.get(0).startsWith("commit ")
          || !lines.get(1).startsWith("author ")
          || !lines.get(2).startsWith("date ")) {
        return Optional.empty();
      }
      int end = lines.size();
      int more = 0;
      Matcher rest = MORE.matcher(lines.get(end - 1));
      if (rest.matches()) {
        more = Integer.parseInt(rest.group(1));
        end--;
      }
      SortedMap<String, String> files = new TreeMap<>();
      Matcher file = FILE.matcher("");
      while (end > 4 && file.reset(lines.get(end - 1)).matches()) {
        files.put(file.group(2), file.group(1));
        end--;
      }
      try {
        return Optional.of(
            new GitCommit(
                lines.get(0).substring("commit ".length()),
                Instant.parse(lines.get(2).substring("date ".length())),
                lines.get(1).substring("author ".length()),
                String.join("\n", lines.subList(4, end)).strip(),
                files,
                more));
      } catch (DateTimeParseException bad) {
        return Optional.empty();
      }
    }
  }
}
