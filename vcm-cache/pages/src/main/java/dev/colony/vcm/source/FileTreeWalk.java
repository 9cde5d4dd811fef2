package dev.colony.vcm.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.eclipse.jgit.ignore.IgnoreNode;

/** Finds the regular files below a directory that no ignore rule names. */
final class FileTreeWalk {

  private static final Set<String> NEVER = Set.of(".git", ".colony", ".colony-examples");

  private final Path root;
  private final int limit;
  private final List<Found> files = new ArrayList<>();
  private final List<String> unreadable = new ArrayList<>();
  private final List<String> vendored = new ArrayList<>();

  /**
   * A file.
   *
   * @param path relative to the root
   * @param stamp see {@link FileStamp}
   */
  record Found(Path path, String stamp) {}

  FileTreeWalk(Path root, int limit) {
    this.root = root;
    this.limit = limit;
  }

  /**
   * The files relative to the root, ordered by path; one more than the limit where there are more.
   *
   * @throws IOException if the root itself cannot be listed
   */
  List<Found> walk() throws IOException {
    walk(root, IgnoreRules.above(root));
    files.sort(Comparator.comparing(found -> found.path().toString()));
    return files;
  }

  /** Whether a directory holds no source, whatever is in it and whatever ignore rules say. */
  static boolean never(Path directory) {
    return Files.exists(directory.resolve(FileTreeSource.NO_SOURCE), LinkOption.NOFOLLOW_LINKS);
  }

  /** Whether a walk of the root enters a directory below it, as far as the ignore rules say now. */
  static Predicate<Path> entered(Path root) {
    return directory -> {
      if (NEVER.contains(directory.getFileName().toString())
          || never(directory)
          || vendored(root, directory)) {
        return false;
      }
      IgnoreRules rules = IgnoreRules.above(root).within(root);
      Path below = root.relativize(directory);
      Path at = root;
      for (int i = 0; i + 1 < below.getNameCount(); i++) {
        at = at.resolve(below.getName(i));
        rules = rules.within(at);
      }
      return !rules.ignores(directory, true);
    };
  }

  /** What could not be listed or looked at, relative to the root. */
  List<String> unreadable() {
    return unreadable;
  }

  /** Folders of the code of others, and of what builds make, relative to the root. */
  List<String> vendored() {
    return vendored;
  }

  private static boolean vendored(Path root, Path directory) {
    return VendoredFolders.is(
        root.relativize(directory).toString().replace('\\', '/'),
        file -> Files.exists(root.resolve(file)));
  }

  private void walk(Path directory, IgnoreRules above) throws IOException {
    List<Path> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(entries::add);
    } catch (java.nio.file.DirectoryIteratorException failure) {
      throw failure.getCause();
    }
    entries.sort(Comparator.comparing(Path::toString));
    IgnoreRules rules = above.within(directory);
    for (Path entry : entries) {
      if (files.size() > limit) {
        return;
      }
      if (!NEVER.contains(entry.getFileName().toString())) {
        visit(entry, rules);
      }
    }
  }

  private void visit(Path entry, IgnoreRules rules) {
    Path relative = root.relativize(entry);
    try {
      BasicFileAttributes attributes = FileStamp.attributes(entry);
      boolean directory = attributes.isDirectory();
      if (!directory && !attributes.isRegularFile() || rules.ignores(entry, directory)) {
        return;
      }
      if (directory) {
        if (vendored(root, entry)) {
          vendored.add(relative.toString().replaceAll("\\p{Cntrl}", "?").replace('\\', '/'));
        } else if (!never(entry)) {
          walk(entry, rules);
        }
      } else if (relative.toString().chars().anyMatch(Character::isISOControl)) {
        // The path stands in the page's header line.
        unreadable.add(relative.toString().replaceAll("\\p{Cntrl}", "?"));
      } else {
        files.add(new Found(relative, FileStamp.of(attributes)));
      }
    } catch (IOException failure) {
      unreadable.add(relative.toString().replaceAll("\\p{Cntrl}", "?"));
    }
  }

  /**
   * Tells by its attributes whether a file has changed. A file that was written a moment before it
   * was looked at may be written again within the same tick of its clock, and has no stamp: Git
   * calls such an entry of its index racy.
   */
  static final class FileStamp {

    private static final Duration TICK = Duration.ofSeconds(2);

    private FileStamp() {}

    /** By the clock of the machine, as the file system dates its files. */
    static String of(BasicFileAttributes attributes) {
      Instant modified = attributes.lastModifiedTime().toInstant();
      return modified.isAfter(Instant.now().minus(TICK))
          ? ""
          : modified + "/" + attributes.size() + "/" + attributes.fileKey();
    }

    /** Of the file itself, where it is a link; not of what it leads to. */
    static BasicFileAttributes attributes(Path file) throws IOException {
      return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }
  }

  /**
   * The {@code .gitignore} files that hold in a directory: its own first, then those above it. The
   * nearest one with a matching rule decides; within one, the last matching rule.
   */
  static final class IgnoreRules {

    private static final IgnoreRules NONE = new IgnoreRules(null, null, null);

    private final Path directory;
    private final IgnoreNode rules;
    private final IgnoreRules above;

    private IgnoreRules(Path directory, IgnoreNode rules, IgnoreRules above) {
      this.directory = directory;
      this.rules = rules;
      this.above = above;
    }

    /** Those of the directories above a root, up to the top of the git work tree it lies in. */
    static IgnoreRules above(Path root) {
      Deque<Path> parents = new ArrayDeque<>();
      Path top = root.toAbsolutePath().normalize();
      while (!Files.exists(top.resolve(".git"))) {
        top = top.getParent();
        if (top == null) {
          return NONE;
        }
        parents.push(top);
      }
      IgnoreRules rules = NONE;
      for (Path parent : parents) {
        rules = rules.within(parent);
      }
      return rules;
    }

    /** These and the directory's own; without its own, or where that is unreadable, just these. */
    IgnoreRules within(Path newDirectory) {
      Path file = newDirectory.resolve(".gitignore");
      if (!Files.isRegularFile(file)) {
        return this;
      }
      IgnoreNode node = new IgnoreNode();
      try (InputStream in = Files.newInputStream(file)) {
        node.parse(in);
      } catch (IOException unreadable) {
        return this; // the walk meets the file itself and reports it
      }
      return new IgnoreRules(newDirectory.toAbsolutePath().normalize(), node, this);
    }

    boolean ignores(Path entry, boolean isDirectory) {
      Path absolute = entry.toAbsolutePath().normalize();
      for (IgnoreRules level = this; level.rules != null; level = level.above) {
        String path = "/" + level.directory.relativize(absolute).toString().replace('\\', '/');
        Boolean ignored = level.rules.checkIgnored(path, isDirectory);
        if (ignored != null) {
          return ignored;
        }
      }
      return false;
    }
  }
}
