package dev.colony.vcm.source;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.eclipse.jgit.ignore.IgnoreNode;

/**
 * The {@code .gitignore} files that hold in a directory: its own first, then those above it. The
 * nearest one with a matching rule decides; within one, the last matching rule.
 */
final class IgnoreRules {

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
