package dev.colony.cli.ask;

import dev.colony.library.research.Evidence;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a report says, however it is written.
 *
 * @param question as it was asked
 * @param earlier the questions that it follows, the oldest first
 * @param answer in the words of what has answered
 * @param citations the lines that it rests on, strongest first
 * @param remarks what is uncertain, what was not read and why, a line each
 * @param coverage which parts of the source were read; empty where that is not known
 * @param source that was asked about, for people
 * @param links where its files are
 */
public record Document(
    String question,
    List<String> earlier,
    String answer,
    List<Evidence> citations,
    List<String> remarks,
    Optional<Coverage> coverage,
    String source,
    Links links,
    Took took) {

  public Document {
    earlier = List.copyOf(earlier);
    citations = List.copyOf(citations);
    remarks = List.copyOf(remarks);
  }

  /** What it took, the command included. */
  public record Took(String runId, int rounds, AskReport.StatsForm stats) {

    String money() {
      BigDecimal cost = stats.cost();
      return cost.signum() == 0 ? "none: no price is set" : cost.toPlainString();
    }
  }

  /**
   * Where the files of a source are, as seen from a report.
   *
   * @param to the source's directory, relative to the report's, or absolute; empty where its files
   *     are in no directory
   */
  public record Links(Optional<String> to) {

    /** Of a source whose files cannot be linked to. */
    public static final Links NONE = new Links(Optional.empty());

    private static final String PLAIN =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";

    public static Links between(Path report, Path directory) {
      Path from = report.toAbsolutePath().normalize().getParent();
      Path to = directory.toAbsolutePath().normalize();
      String way =
          from.getRoot().equals(to.getRoot())
              ? from.relativize(to).toString().replace('\\', '/')
              : to.toUri().getPath();
      return new Links(Optional.of(way));
    }

    /**
     * A relative reference to the lines, in characters that mean nothing to HTML or Markdown; it
     * begins with a dot, so that no file's name is taken for a scheme.
     */
    Optional<String> of(Evidence lines) {
      return to.map(way -> {
        String path = way.isEmpty() ? lines.file() : way + "/" + lines.file();
        String last = lines.lastLine() == lines.firstLine() ? "" : "-L" + lines.lastLine();
        return (path.startsWith("/") || path.startsWith(".") ? "" : "./")
            + encoded(path)
            + "#L"
            + lines.firstLine()
            + last;
      });
    }

    private static String encoded(String path) {
      StringBuilder text = new StringBuilder();
      for (byte one : path.getBytes(StandardCharsets.UTF_8)) {
        char plain = (char) (one & 0xff);
        if (PLAIN.indexOf(plain) >= 0) {
          text.append(plain);
        } else {
          text.append("%%%02X".formatted(one & 0xff));
        }
      }
      return text.toString();
    }
  }

  /**
   * Which parts of a source were read, by directory. Directories are told apart as deep as there is
   * room for: the largest is opened first. Immutable.
   *
   * @param parts in the order of their paths, at most {@value #MOST}
   */
  public record Coverage(List<Part> parts) {

    /** Parts that a picture has room for. */
    static final int MOST = 24;

    public Coverage {
      parts = List.copyOf(parts);
    }

    /**
     * A directory without those parts of it that stand by themselves.
     *
     * @param path relative to the source's root; empty for the root itself
     * @param lines that it has in all
     * @param read of these
     * @param cited whether the answer cites a line of it
     */
    public record Part(String path, long lines, long read, boolean cited) {

      /** From 0 to 1. */
      public double share() {
        return lines == 0 ? 0 : (double) read / lines;
      }
    }

    public Part all() {
      return new Part(
          "",
          parts.stream().mapToLong(Part::lines).sum(),
          parts.stream().mapToLong(Part::read).sum(),
          parts.stream().anyMatch(Part::cited));
    }

    /**
     * Of a map.
     *
     * @param lines of its pages
     * @param read the ids of the pages that were read; those of other maps count for nothing
     * @param cited files
     */
    public static Coverage of(
        PageMap map, PageLines lines, Collection<String> read, Collection<String> cited) {
      Set<String> ids = new HashSet<>(read);
      Directory root = new Directory("");
      map.groups().stream()
          .flatMap(group -> group.pages().stream())
          .forEach(page -> add(root, page, lines, ids, cited));
      return new Coverage(
          opened(root).stream()
              .map(Directory::part)
              .filter(part -> part.lines() > 0)
              .sorted(Comparator.comparing(Part::path))
              .toList());
    }

    private static void add(
        Directory root, PageId page, PageLines lines, Set<String> read, Collection<String> cited) {
      for (PageSegment segment : lines.lines(page)) {
        long many = segment.lastLine() - segment.firstLine() + 1L;
        Directory at = root;
        String[] names = segment.file().split("/");
        boolean isRead = read.contains(page.value());
        boolean isCited = cited.contains(segment.file());
        at.add(many, isRead, isCited);
        for (int i = 0; i + 1 < names.length; i++) {
          at = at.below(names[i]);
          at.add(many, isRead, isCited);
        }
        at.ownCited |= isCited;
      }
    }

    /** The root, opened where most is in one directory, until there is no more room. */
    private static List<Directory> opened(Directory root) {
      List<Directory> shown = new ArrayList<>(List.of(root));
      while (true) {
        int room = MOST - shown.size();
        Directory largest =
            shown.stream()
                .filter(one -> !one.opened && !one.below.isEmpty())
                .filter(one -> one.below.size() - (one.own() == 0 ? 1 : 0) <= room)
                .max(
                    Comparator.<Directory>comparingLong(one -> one.lines)
                        .thenComparing(one -> one.path))
                .orElse(null);
        if (largest == null) {
          return shown;
        }
        largest.open();
        shown.addAll(largest.below.values());
        if (largest.lines == 0) {
          shown.remove(largest);
        }
      }
    }

    private static final class Directory {
      private final String path;
      private final Map<String, Directory> below = new TreeMap<>();
      private long lines;
      private long read;
      private boolean cited;
      private boolean ownCited;
      private boolean opened;

      Directory(String path) {
        this.path = path;
      }

      Directory below(String name) {
        return below.computeIfAbsent(
            name, key -> new Directory(path.isEmpty() ? name : path + "/" + name));
      }

      void add(long many, boolean wasRead, boolean wasCited) {
        lines += many;
        read += wasRead ? many : 0;
        cited |= wasCited;
      }

      /** Lines of files that are in it and in no directory of it. */
      long own() {
        return lines - below.values().stream().mapToLong(one -> one.lines).sum();
      }

      /** What is below stands by itself from here on. */
      void open() {
        opened = true;
        for (Directory one : below.values()) {
          lines -= one.lines;
          read -= one.read;
        }
      }

      Part part() {
        return new Part(path, lines, read, opened ? ownCited : cited);
      }
    }
  }
}
