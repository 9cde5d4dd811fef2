package dev.colony.examples.review;

import dev.colony.vcm.source.git.GitDiff;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run of a review is asked for. One run takes a bounded part of a change, since a run's
 * input is bounded; a large change takes several.
 *
 * @param map of the tree as it is after the change
 * @param judged false where no model is to be asked
 * @param files of the change
 */
public record ChangeInput(String map, boolean judged, List<String> rules, List<Changed> files) {

  /** Characters of the lines of one run. */
  private static final int RUN_CHARS = 60_000;

  /** A larger file is not reviewed. */
  private static final int FILE_CHARS = 50_000;

  /** What a line takes beside its text. */
  private static final int LINE_CHARS = 12;

  /**
   * A file.
   *
   * @param what {@code A}, {@code M}, {@code D}, {@code R} or {@code C}, as git says it
   * @param hunks lines that changed, with those around them: a mark ({@code +}, {@code -} or a
   *     blank), the number, a blank and the text
   */
  public record Changed(String path, String what, List<List<String>> hunks) {}

  /** The parts of a change, and what is left out of all. */
  public record Parts(List<ChangeInput> runs, List<ChangeReport.NotReviewed> notReviewed) {}

  /** Cuts a change into runs. */
  public static Parts of(
      String map, boolean judged, List<String> rules, List<GitDiff.FileChange> change) {
    List<ChangeInput> runs = new ArrayList<>();
    List<ChangeReport.NotReviewed> left = new ArrayList<>();
    List<Changed> files = new ArrayList<>();
    int chars = 0;
    for (GitDiff.FileChange file : change) {
      int size =
          file.hunks().stream()
              .flatMap(List::stream)
              .mapToInt(line -> line.text().length() + LINE_CHARS)
              .sum();
      if (file.binary()) {
        left.add(new ChangeReport.NotReviewed(file.path(), "is no text"));
      } else if (size > FILE_CHARS) {
        left.add(new ChangeReport.NotReviewed(file.path(), "changes more than fits into a run"));
      } else {
        if (chars + size > RUN_CHARS && !files.isEmpty()) {
          runs.add(new ChangeInput(map, judged, rules, List.copyOf(files)));
          files.clear();
          chars = 0;
        }
        files.add(
            new Changed(
                file.path(),
                file.what(),
                file.hunks().stream()
                    .map(hunk -> hunk.stream().map(ChangeInput::line).toList())
                    .toList()));
        chars += size;
      }
    }
    if (!files.isEmpty()) {
      runs.add(new ChangeInput(map, judged, rules, List.copyOf(files)));
    }
    return new Parts(runs, left);
  }

  private static String line(GitDiff.Line line) {
    return "%s%d %s".formatted(line.side().mark(), line.number(), line.text());
  }
}
