package dev.colony.vcm.source.git;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
