package dev.colony.library.page;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.value.Text;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.source.GitLog;
import dev.colony.vcm.source.GitLog.GitCommit;
import dev.colony.vcm.source.GitSource;
import dev.colony.vcm.source.SourceSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The commits that changed files of a map: those of the repository that the map's source is in,
 * where the node sees it, or else those that are files of the map. Blocks.
 */
final class History {

  private static final int MOST_FILES = 30;
  private static final int MESSAGE_CHARS = 2_000;

  /** Commits that are looked at for one question, which takes about 0.1 ms each. */
  private static final int MOST_COMMITS = 10_000;

  /** Files of a map by which a directory is known to be its source. */
  private static final int KNOWN_BY = 20;

  /**
   * A commit.
   *
   * @param commit its id, abbreviated to twelve digits
   * @param at when it was committed, as in {@code 2026-01-02T03:04:05Z}
   * @param message cut where it is long
   * @param files of the map that it changed, with {@code A} for added, {@code M} for modified,
   *     {@code D} for deleted, {@code R} for renamed, {@code C} for copied; those asked about first
   * @param moreFiles that it changed besides
   */
  record Change(
      String commit,
      String at,
      String author,
      String message,
      Map<String, String> files,
      int moreFiles) {}

  /**
   * What was found.
   *
   * @param changes latest first; empty means that no commit that was looked at changed the files
   * @param of the files that were asked about; empty for all
   * @param from {@code repository} or {@code pages}: where the commits were read
   */
  record Changes(List<Change> changes, List<String> of, String from) {}

  private final PageMap map;
  private final SourceTree tree;
  private final boolean repositories;

  History(PageMap map, SourceTree tree, boolean repositories) {
    this.map = map;
    this.tree = tree;
    this.repositories = repositories;
  }

  /**
   * The latest commits that changed one of the files.
   *
   * @param files of the map; empty for all of it
   * @throws AgentException if the map has no history, with the reason
   */
  Changes of(List<String> files, int limit) {
    Why why = new Why();
    Optional<List<GitCommit>> repository = repository(files, limit, why);
    if (repository.isPresent()) {
      return changes(repository.get(), files, "repository");
    }
    List<MappedText> log = tree.log();
    if (log.isEmpty()) {
      throw AgentException.refused(
          "map %s of %s has no history: %s; map it as git:DIRECTORY?history=COMMITS to have its commits as pages"
              .formatted(map.id(), map.source(), why.reason));
    }
    return changes(logged(log, files, limit), files, "pages");
  }

  /** Why no repository was read. */
  private static final class Why {
    private String reason = "";
  }

  private Optional<List<GitCommit>> repository(List<String> files, int limit, Why why) {
    if (!repositories) {
      why.reason = "colony.agent.source.repositories is off";
      return Optional.empty();
    }
    try {
      SourceSpec spec = SourceSpec.parse(map.source());
      if (!Set.of(SourceSpec.FILE, "git").contains(spec.scheme())) {
        why.reason = "its source is no directory";
        return Optional.empty();
      }
      GitSource.GitProvider.JAR.require("the history of a directory");
      Path directory = Path.of(spec.place());
      String revision = spec.fragment().orElse("HEAD");
      try (GitLog log = GitLog.open(directory, revision).orElse(null)) {
        if (log == null) {
          why.reason = "this node sees no git repository there";
        } else if (!(spec.scheme().equals("git") && directory.isAbsolute()) && !holds(directory)) {
          why.reason = "the directory that this node sees holds other files";
        } else {
          return Optional.of(log.changing(files, limit, MOST_COMMITS));
        }
      }
    } catch (IOException | IllegalArgumentException bad) {
      why.reason = "its repository cannot be read: " + bad.getMessage();
    }
    return Optional.empty();
  }

  /** A path that is relative may lead elsewhere on this node. */
  private boolean holds(Path directory) {
    return tree.files().stream()
        .limit(KNOWN_BY)
        .anyMatch(file -> Files.isRegularFile(directory.resolve(file.path())));
  }

  private List<GitCommit> logged(List<MappedText> log, List<String> files, int limit) {
    Predicate<GitCommit> changes =
        commit -> files.isEmpty() || files.stream().anyMatch(commit.files()::containsKey);
    return log.stream()
        .limit(MOST_COMMITS)
        .flatMap(file -> parsed(file).stream())
        .filter(changes)
        .limit(limit)
        .toList();
  }

  private static Optional<GitCommit> parsed(MappedText file) {
    List<String> lines = new ArrayList<>();
    for (int at = 0; at < file.count(); at++) {
      lines.add(file.line(at));
    }
    return GitCommit.parse(lines);
  }

  private static Changes changes(List<GitCommit> commits, List<String> files, String from) {
    return new Changes(commits.stream().map(commit -> change(commit, files)).toList(), files, from);
  }

  private static Change change(GitCommit commit, List<String> asked) {
    SortedMap<String, String> shown = new TreeMap<>();
    asked.stream()
        .filter(commit.files()::containsKey)
        .limit(MOST_FILES)
        .forEach(file -> shown.put(file, commit.files().get(file)));
    commit
        .files()
        .forEach((file, what) -> {
          if (shown.size() < MOST_FILES) {
            shown.put(file, what);
          }
        });
    return new Change(
        Text.head(commit.id(), 12),
        commit.at().toString(),
        commit.author(),
        Text.cut(commit.message(), MESSAGE_CHARS),
        shown,
        commit.files().size() - shown.size() + commit.moreFiles());
  }
}
