package dev.colony.vcm.source.git;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.diff.DiffEntry;
import org.eclipse.jgit.diff.DiffFormatter;
import org.eclipse.jgit.errors.MissingObjectException;
import org.eclipse.jgit.errors.RevisionSyntaxException;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.patch.FileHeader;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.revwalk.filter.RevFilter;
import org.eclipse.jgit.treewalk.AbstractTreeIterator;
import org.eclipse.jgit.treewalk.CanonicalTreeParser;
import org.eclipse.jgit.treewalk.FileTreeIterator;
import org.eclipse.jgit.treewalk.filter.PathFilter;
import org.eclipse.jgit.treewalk.filter.TreeFilter;

/**
 * What changed below a directory, from one revision of its repository to another or to its work
 * tree, line by line.
 */
public final class GitDiff {

  /** Larger files are taken for binary. */
  private static final int MOST_BYTES = 4 << 20;

  private static final Pattern HUNK =
      Pattern.compile("@@ -(\\d+)(?:,\\d+)? \\+(\\d+)(?:,\\d+)? @@.*");

  private static final Pattern RANGE = Pattern.compile("(.*?)(\\.{2,3})(.*)");

  private GitDiff() {}

  /** What became of a line. */
  public enum Side {
    ADDED('+'),
    REMOVED('-'),
    KEPT(' ');

    private final char mark;

    Side(char mark) {
      this.mark = mark;
    }

    /** As diffs have it before the line. */
    public char mark() {
      return mark;
    }
  }

  /**
   * A line of a change.
   *
   * @param number in the new file, or of one that is removed in the old one, from 1
   */
  public record Line(Side side, int number, String text) {}

  /**
   * A file that changed.
   *
   * @param path relative to the directory; of a file that is gone its old one
   * @param before where it was; the same unless it was renamed or copied
   * @param what {@code A} for added, {@code M} for modified, {@code D} for deleted, {@code R} for
   *     renamed, {@code C} for copied
   * @param hunks lines that changed with the lines around them, in their order; empty for a binary
   *     file
   * @param binary whether it is no text, or too large to be compared
   */
  public record FileChange(
      String path, String before, String what, List<List<Line>> hunks, boolean binary) {}

  /** What became of comparing. */
  public sealed interface Result {

    /**
     * The changes.
     *
     * @param from the id of the old commit
     * @param to the id of the new commit; empty for the work tree
     */
    record Changed(String from, String to, List<FileChange> files) implements Result {}

    /** It cannot be compared; the reason is one line for the caller who named the revisions. */
    record Refused(String reason) implements Result {}
  }

  /**
   * Compares.
   *
   * @param directory in the work tree of a repository
   * @param revisions {@code A..B} from A to B, {@code A...B} from where B has left A to B, or
   *     {@code A} from A to the work tree, files that are not yet known to git included and those
   *     that it ignores left out
   * @param context lines around each change
   * @throws IOException if the repository is damaged or cannot be read
   */
  public static Result of(Path directory, String revisions, int context) throws IOException {
    if (!Files.isDirectory(directory)) {
      return new Result.Refused(directory + ": no such directory");
    }
    Path real = directory.toRealPath();
    Optional<Repository> found = GitSource.repository(real);
    if (found.isEmpty()) {
      return new Result.Refused(directory + " is in no git repository");
    }
    try (Repository repository = found.get()) {
      if (repository.isBare()) {
        return new Result.Refused(directory + " has no work tree");
      }
      Path tree = repository.getWorkTree().toPath().toRealPath();
      String prefix = tree.relativize(real).toString().replace('\\', '/');
      return compared(repository, prefix, revisions, context);
    } catch (Unknown unknown) {
      return new Result.Refused(unknown.getMessage());
    }
  }

  /** A revision that there is not. */
  private static final class Unknown extends Exception {
    private static final long serialVersionUID = 1L;

    Unknown(String message) {
      super(message);
    }
  }

  private static Result compared(
      Repository repository, String prefix, String revisions, int context)
      throws IOException, Unknown {
    try (RevWalk walk = new RevWalk(repository);
        ObjectReader reader = repository.newObjectReader();
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        DiffFormatter diff = new DiffFormatter(text)) {
      diff.setRepository(repository);
      diff.setDetectRenames(true);
      diff.setContext(context);
      diff.setBinaryFileThreshold(MOST_BYTES);
      diff.setPathFilter(prefix.isEmpty() ? TreeFilter.ALL : PathFilter.create(prefix));
      Matcher range = RANGE.matcher(revisions);
      if (!range.matches()) {
        RevCommit from = commit(repository, walk, revisions);
        AbstractTreeIterator now = new FileTreeIterator(repository);
        return changed(from, "", diff.scan(tree(reader, from), now), diff, text, prefix);
      }
      RevCommit from = commit(repository, walk, range.group(1));
      RevCommit end = commit(repository, walk, range.group(3));
      RevCommit begin = range.group(2).equals("...") ? mergeBase(walk, from, end) : from;
      return changed(
          begin, end.name(), diff.scan(tree(reader, begin), tree(reader, end)), diff, text, prefix);
    }
  }

  private static AbstractTreeIterator tree(ObjectReader reader, RevCommit commit)
      throws IOException {
    return new CanonicalTreeParser(null, reader, commit.getTree());
  }

  private static RevCommit commit(Repository repository, RevWalk walk, String revision)
      throws IOException, Unknown {
    String named = revision.isEmpty() ? "HEAD" : revision;
    try {
      ObjectId id = repository.resolve(named + "^{commit}");
      if (id != null) {
        return walk.parseCommit(id);
      }
    } catch (RevisionSyntaxException | MissingObjectException none) {
      // said below
    }
    throw new Unknown("the repository has no branch, tag or commit " + named);
  }

  private static RevCommit mergeBase(RevWalk walk, RevCommit one, RevCommit other)
      throws IOException, Unknown {
    walk.setRevFilter(RevFilter.MERGE_BASE);
    walk.markStart(one);
    walk.markStart(other);
    RevCommit base = walk.next();
    if (base == null) {
      throw new Unknown("%s and %s have nothing in common".formatted(one.name(), other.name()));
    }
    return walk.parseCommit(base);
  }

  private static Result changed(
      RevCommit from,
      String to,
      List<DiffEntry> entries,
      DiffFormatter diff,
      ByteArrayOutputStream text,
      String prefix)
      throws IOException {
    List<FileChange> files = new ArrayList<>();
    for (DiffEntry entry : entries) {
      FileHeader header = diff.toFileHeader(entry);
      boolean binary = header.getPatchType() != FileHeader.PatchType.UNIFIED;
      text.reset();
      if (!binary) {
        diff.format(entry);
        diff.flush();
      }
      boolean gone = entry.getChangeType() == DiffEntry.ChangeType.DELETE;
      boolean fresh = entry.getChangeType() == DiffEntry.ChangeType.ADD;
      String path = below(prefix, gone ? entry.getOldPath() : entry.getNewPath());
      files.add(
          new FileChange(
              path,
              fresh ? path : below(prefix, entry.getOldPath()),
              String.valueOf(entry.getChangeType().name().charAt(0)),
              hunks(text.toString(StandardCharsets.UTF_8)),
              binary));
    }
    return new Result.Changed(from.name(), to, List.copyOf(files));
  }

  private static String below(String prefix, String path) {
    String own =
        prefix.isEmpty() || !path.startsWith(prefix + "/")
            ? path
            : path.substring(prefix.length() + 1);
    return own.replaceAll("\\p{Cntrl}", "?");
  }

  /** The hunks of a diff in the unified format. */
  static List<List<Line>> hunks(String unified) {
    List<List<Line>> hunks = new ArrayList<>();
    int before = 0;
    int after = 0;
    for (String line : unified.split("\n", -1)) {
      Matcher head = HUNK.matcher(line);
      if (head.matches()) {
        before = Integer.parseInt(head.group(1));
        after = Integer.parseInt(head.group(2));
        hunks.add(new ArrayList<>());
      } else if (!hunks.isEmpty() && !line.isEmpty()) {
        String text = line.substring(1);
        switch (line.charAt(0)) {
          case '+' -> hunks.getLast().add(new Line(Side.ADDED, after++, text));
          case '-' -> hunks.getLast().add(new Line(Side.REMOVED, before++, text));
          case ' ' -> {
            hunks.getLast().add(new Line(Side.KEPT, after++, text));
            before++;
          }
          default -> {
            // that a file has no line feed at its end
          }
        }
      }
    }
    return hunks;
  }
}
