package dev.colony.vcm.source;

import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jgit.diff.DiffEntry;
import org.eclipse.jgit.diff.DiffFormatter;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.treewalk.CanonicalTreeParser;
import org.eclipse.jgit.treewalk.EmptyTreeIterator;
import org.eclipse.jgit.treewalk.filter.PathFilter;
import org.eclipse.jgit.treewalk.filter.TreeFilter;
import org.eclipse.jgit.util.io.DisabledOutputStream;

/**
 * The latest commits before a revision, newest first, with what each changed. Commits that were
 * read once are remembered, up to the number that is read; a commit never changes. Not thread-safe.
 */
final class GitHistory {

  /** Names of changed files that are shown of one commit. */
  private static final int MOST_NAMES = 200;

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH-mm-ss").withZone(ZoneOffset.UTC);

  private final String prefix;
  private final int most;
  private Map<ObjectId, Commit> known = new HashMap<>();

  /**
   * Reads nothing yet.
   *
   * @param prefix the directory of the repository that is looked at; empty for all of it
   * @param most how many commits
   */
  GitHistory(String prefix, int most) {
    this.prefix = prefix;
    this.most = most;
  }

  /**
   * A commit.
   *
   * @param files that it changed, relative to the directory, with the letter of what was done;
   *     empty for a merge
   */
  record Commit(
      ObjectId id, Instant at, String author, String message, Map<String, Character> files) {

    /** As the path of a file, in the order of time. */
    String path() {
      return ".git/log/%s-%s.txt".formatted(STAMP.format(at), id.name().substring(0, 12));
    }

    /** As git shows it. */
    String text() {
      StringBuilder text = new StringBuilder("commit ").append(id.name()).append('\n');
      text.append("author ").append(author).append('\n');
      text.append("date ").append(at).append("\n\n");
      text.append(message.strip()).append("\n\n");
      files.entrySet().stream()
          .limit(MOST_NAMES)
          .forEach(
              file -> text.append(file.getValue()).append(' ').append(file.getKey()).append('\n'));
      if (files.size() > MOST_NAMES) {
        text.append("and %d more files\n".formatted(files.size() - MOST_NAMES));
      }
      return text.toString();
    }

    Set<String> changed() {
      return files.keySet();
    }
  }

  List<Commit> before(Repository repository, ObjectId revision) throws IOException {
    List<Commit> commits = new ArrayList<>();
    if (most == 0) {
      return commits;
    }
    Map<ObjectId, Commit> now = new HashMap<>();
    try (RevWalk walk = new RevWalk(repository);
        DiffFormatter diff = new DiffFormatter(DisabledOutputStream.INSTANCE)) {
      diff.setRepository(repository);
      diff.setPathFilter(prefix.isEmpty() ? TreeFilter.ALL : PathFilter.create(prefix));
      walk.markStart(walk.parseCommit(revision));
      for (RevCommit commit : walk) {
        Commit one = known.get(commit);
        if (one == null) {
          one = read(commit, walk, diff);
        }
        now.put(commit.copy(), one);
        if (prefix.isEmpty() || !one.files().isEmpty()) {
          commits.add(one);
        }
        if (now.size() == most) {
          break;
        }
      }
    }
    known = now;
    return commits;
  }

  private Commit read(RevCommit commit, RevWalk walk, DiffFormatter diff) throws IOException {
    Map<String, Character> files = new TreeMap<>();
    if (commit.getParentCount() < 2) {
      for (DiffEntry change : changes(commit, walk, diff)) {
        boolean gone = change.getChangeType() == DiffEntry.ChangeType.DELETE;
        String path = gone ? change.getOldPath() : change.getNewPath();
        files.put(
            below(path).replaceAll("\\p{Cntrl}", "?"), change.getChangeType().name().charAt(0));
      }
    }
    return new Commit(
        commit.copy(),
        Instant.ofEpochSecond(commit.getCommitTime()),
        commit.getAuthorIdent().getName(),
        commit.getFullMessage(),
        files);
  }

  private String below(String path) {
    return prefix.isEmpty() ? path : path.substring(prefix.length() + 1);
  }

  private static List<DiffEntry> changes(RevCommit commit, RevWalk walk, DiffFormatter diff)
      throws IOException {
    try (ObjectReader reader = walk.getObjectReader().newReader()) {
      CanonicalTreeParser now = new CanonicalTreeParser(null, reader, commit.getTree());
      if (commit.getParentCount() == 0) {
        return diff.scan(new EmptyTreeIterator(), now);
      }
      RevCommit parent = walk.parseCommit(commit.getParent(0));
      return diff.scan(new CanonicalTreeParser(null, reader, parent.getTree()), now);
    }
  }
}
