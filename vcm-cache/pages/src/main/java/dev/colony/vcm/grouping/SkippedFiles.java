package dev.colony.vcm.grouping;

import java.util.List;

/**
 * What was left out, other than what ignore rules name.
 *
 * @param binary files that are no UTF-8 text
 * @param oversized files beyond the size limit or with a line beyond its limit
 * @param unreadable files and directories that could not be read
 * @param unreadableNames the first of those, at most {@value #NAMES}
 */
public record SkippedFiles(
    int binary, int oversized, int unreadable, List<String> unreadableNames) {

  /** How many names are kept. */
  public static final int NAMES = 20;

  /** Nothing was left out. */
  public static final SkippedFiles NONE = new SkippedFiles(0, 0, 0, List.of());

  public SkippedFiles {
    unreadableNames = List.copyOf(unreadableNames);
  }
}
