package dev.colony.vcm.mapping;

import dev.colony.vcm.PageMap;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.MappingMemory.Looked;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What became of mapping a source. */
public sealed interface MappingResult {

  /**
   * The source's map and all of its pages, in the order in which the map names them.
   *
   * @param pages a {@link PageList}, as a mapping gives it: its texts are read when they are asked
   *     for
   * @param skipped what of the source is on no page
   * @param reference the spec by which other processes may read the source; empty where none can
   * @param sizeBytes of the files that are on the pages
   */
  record Mapped(
      PageMap map,
      List<VirtualContextPage> pages,
      SkippedFiles skipped,
      Optional<String> reference,
      long sizeBytes)
      implements MappingResult {
    public Mapped {
      pages = pages instanceof PageList ? pages : List.copyOf(pages);
    }
  }

  /**
   * The source cannot be mapped.
   *
   * @param reason one line for the caller who named the source
   */
  record Refused(String reason) implements MappingResult {}

  /**
   * What was left out, other than what ignore rules name.
   *
   * @param files how many for each reason; what could not be listed counts as unreadable
   * @param folders of the code of others and of what builds make, each passed over whole
   * @param unreadableNames the first that could not be read, at most {@value #NAMES}
   */
  record SkippedFiles(
      Map<FileText.Why, Integer> files, List<String> folders, List<String> unreadableNames) {

    /** How many names are kept. */
    public static final int NAMES = 20;

    /** Nothing was left out. */
    public static final SkippedFiles NONE = new SkippedFiles(Map.of(), List.of(), List.of());

    public SkippedFiles {
      Map<FileText.Why, Integer> sorted = new EnumMap<>(FileText.Why.class);
      sorted.putAll(files);
      files = Collections.unmodifiableMap(sorted);
      folders = List.copyOf(folders);
      unreadableNames = List.copyOf(unreadableNames);
    }

    /** The counts of what was looked at, and of what was not. */
    static SkippedFiles of(SourceReading.Read read, Collection<Looked> looked) {
      List<String> names = new ArrayList<>(read.unreadable());
      Map<FileText.Why, Integer> counts = new EnumMap<>(FileText.Why.class);
      for (Looked one : looked) {
        if (one instanceof Looked.Left left) {
          counts.merge(left.why(), 1, Integer::sum);
          if (left.why() == FileText.Why.UNREADABLE) {
            names.add(left.file().path());
          }
        }
      }
      if (!names.isEmpty()) {
        counts.put(FileText.Why.UNREADABLE, names.size());
      }
      names.sort(null);
      return new SkippedFiles(
          counts, read.vendored(), names.subList(0, Math.min(NAMES, names.size())));
    }

    /** How many files are left out for a reason. */
    public int count(FileText.Why why) {
      return files.getOrDefault(why, 0);
    }

    /** The counts that are not 0, under the names that JSON has for them. */
    public Map<String, Integer> counts() {
      Map<String, Integer> counts = new LinkedHashMap<>();
      files.forEach((why, count) -> counts.put(why.word(), count));
      if (!folders.isEmpty()) {
        counts.put("vendoredFolders", folders.size());
      }
      return counts;
    }

    /**
     * In one line for people, as {@code left out 8 files, 1 folder: 7 binary, 1 Git LFS pointer, 1
     * vendored folder (node_modules)}; empty where nothing but empty files is left out.
     */
    public Optional<String> line() {
      int all = files.values().stream().mapToInt(Integer::intValue).sum();
      if (all == count(FileText.Why.EMPTY) && folders.isEmpty()) {
        return Optional.empty();
      }
      List<String> reasons = new ArrayList<>();
      files.forEach((why, count) ->
          reasons.add(
              count
                  + " "
                  + why.text(count)
                  + (why == FileText.Why.UNREADABLE ? first(unreadableNames) : "")));
      if (!folders.isEmpty()) {
        reasons.add(counted(folders.size(), "vendored folder") + first(folders));
      }
      return Optional.of(
          "left out "
              + (all == 0 ? "" : counted(all, "file"))
              + (all == 0 || folders.isEmpty() ? "" : ", ")
              + (folders.isEmpty() ? "" : counted(folders.size(), "folder"))
              + ": "
              + String.join(", ", reasons));
    }

    private static String first(List<String> names) {
      return " (" + names.getFirst() + (names.size() > 1 ? ", ...)" : ")");
    }

    private static String counted(int count, String what) {
      return count + " " + what + (count == 1 ? "" : "s");
    }
  }
}
