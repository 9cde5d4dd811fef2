package dev.colony.library.research;

import dev.colony.library.research.AnalystCapability.Quote;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The lines of pages that a model was shown, and where what it quotes stands in them. Models
 * miscount lines, trim and break them, join two, shorten paths and copy letters wrongly: the text
 * decides where a quote stands, its line number only between equal places, and what is given back
 * is always what stands there. Immutable.
 */
final class QuoteMatcher {

  /**
   * Lines of a file.
   *
   * @param text as it stands there
   * @param page that they are on
   */
  record Found(String file, int firstLine, int lastLine, String text, String page) {

    /** As in {@code src/Main.java:12-15}. */
    String place() {
      return file + ":" + firstLine + "-" + lastLine;
    }
  }

  /** A part of a file without a gap, and all its characters but white space. */
  private record Part(
      String file, int firstLine, List<String> lines, String page, String dense, int[] ends) {

    static Part of(PageText.SegmentLines segment, String page) {
      StringBuilder dense = new StringBuilder();
      int[] ends = new int[segment.lines().size()];
      for (int i = 0; i < ends.length; i++) {
        dense.append(compact(segment.lines().get(i)));
        ends[i] = dense.length();
      }
      return new Part(
          segment.segment().file(),
          segment.segment().firstLine(),
          segment.lines(),
          page,
          dense.toString(),
          ends);
    }

    /** The index of the line that has a character. */
    int lineAt(int character) {
      int at = Arrays.binarySearch(ends, character);
      int line = at < 0 ? -at - 1 : at + 1;
      while (line + 1 < ends.length && ends[line] <= character) {
        line++;
      }
      return Math.min(line, ends.length - 1);
    }

    /** Where the characters of a line begin. */
    int start(int line) {
      return line <= 0 ? 0 : ends[Math.min(line, ends.length) - 1];
    }
  }

  /** Lines of a part by their indexes in it. */
  private record Place(Part part, int first, int last, int slips, boolean lines) {}

  private static final int LEAST_PART_OF_LINE = 8;
  private static final int LEAST_WITH_SLIPS = 12;
  private static final int MOST_QUOTED = 4000;
  private static final int CHARACTERS_PER_SLIP = 12;
  private static final int MOST_SLIPS = 16;

  private static final Pattern COPIED_MARK = Pattern.compile("^\\s*>?\\s*\\d+\\s*[\\t|:]");
  private static final Pattern LEFT_OUT = Pattern.compile("\\s*(?:\\.\\.\\.|\u2026)\\s*");

  private final List<Part> parts;
  private final int mostLines;

  private QuoteMatcher(List<Part> parts, int mostLines) {
    this.parts = parts;
    this.mostLines = mostLines;
  }

  /**
   * Of pages.
   *
   * @param mostLines of a span
   */
  static QuoteMatcher of(Collection<VirtualContextPage> pages, int mostLines) {
    List<Part> parts = new ArrayList<>();
    for (VirtualContextPage page : pages) {
      for (PageText.SegmentLines segment : PageText.segments(page)) {
        parts.add(Part.of(segment, page.id().value()));
      }
    }
    return new QuoteMatcher(List.copyOf(parts), mostLines);
  }

  /**
   * The lines that a quote means: those with its text and, where they are around that, those that
   * it names, as many as a span may have. Empty where no file of its name has the text.
   */
  Optional<Found> find(Quote quote) {
    List<Part> named = named(quote.file());
    String text = withoutMarks(quote.text());
    if (named.isEmpty() || compact(text).isEmpty() || text.length() > MOST_QUOTED) {
      return Optional.empty();
    }
    return whole(named, text, quote.firstLine())
        .or(() -> withSlips(named, text, quote.firstLine()))
        .or(() -> inPieces(named, text, quote.firstLine()))
        .map(place -> spanned(place, quote));
  }

  /** What stands where a quote says, a few lines; empty where it names none that was shown. */
  Optional<Found> near(Quote quote, int lines) {
    return named(quote.file()).stream()
        .min(Comparator.comparingInt(part -> distance(part, quote.firstLine())))
        .map(part -> {
          int middle = clamp(quote.firstLine() - part.firstLine(), part);
          int first = Math.max(0, middle - lines / 2);
          return found(part, first, Math.min(part.lines().size() - 1, first + lines - 1));
        });
  }

  /** The files that a path may name: that one, or those that it is the end of, or ends with. */
  private List<Part> named(String file) {
    String path = file.strip().replace('\\', '/').replaceFirst("^(?:\\.{1,3}|\u2026)?/+", "");
    List<Part> exact = parts.stream().filter(part -> part.file().equals(path)).toList();
    if (!exact.isEmpty() || path.isEmpty()) {
      return exact;
    }
    String end = path.substring(path.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    List<Part> ending =
        parts.stream()
            .filter(part -> part.file().endsWith("/" + path) || path.endsWith("/" + part.file()))
            .toList();
    return !ending.isEmpty()
        ? ending
        : parts.stream()
            .filter(part -> {
              String own = part.file().substring(part.file().lastIndexOf('/') + 1);
              String name = own.toLowerCase(Locale.ROOT);
              return name.equals(end) || name.startsWith(end + ".");
            })
            .toList();
  }

  /** Where it stands letter by letter, but for white space. */
  private static Optional<Place> whole(List<Part> named, String text, int near) {
    String wanted = compact(text);
    List<Place> places = new ArrayList<>();
    for (Part part : named) {
      String dense = part.dense();
      for (int at = dense.indexOf(wanted); at >= 0; at = dense.indexOf(wanted, at + 1)) {
        int first = part.lineAt(at);
        int last = part.lineAt(at + wanted.length() - 1);
        boolean lines = at == part.start(first) && at + wanted.length() == part.ends()[last];
        if (lines || wanted.length() >= LEAST_PART_OF_LINE) {
          places.add(new Place(part, first, last, 0, lines));
        }
      }
    }
    return nearest(places, near);
  }

  private static Optional<Place> withSlips(List<Part> named, String text, int near) {
    String wanted = compact(text);
    if (wanted.length() < LEAST_WITH_SLIPS) {
      return Optional.empty();
    }
    int most = Math.min(MOST_SLIPS, Math.max(1, wanted.length() / CHARACTERS_PER_SLIP));
    List<Place> places = new ArrayList<>();
    for (Part part : named) {
      int from = part.start(clamp(near - part.firstLine(), part));
      Slips.Match match = Slips.nearest(wanted, part.dense(), from, most);
      if (match != null && match.to() > match.from()) {
        places.add(
            new Place(
                part,
                part.lineAt(match.from()),
                part.lineAt(match.to() - 1),
                match.distance(),
                false));
      }
    }
    int least = places.stream().mapToInt(Place::slips).min().orElse(0);
    return nearest(places.stream().filter(place -> place.slips() == least).toList(), near);
  }

  /**
   * Where its lines stand that are long enough to be told, in their order and within one span: at
   * least two, and all but a quarter of them.
   */
  private Optional<Place> inPieces(List<Part> named, String text, int near) {
    List<String> pieces =
        text.lines()
            .flatMap(LEFT_OUT::splitAsStream)
            .filter(piece -> compact(piece).length() >= LEAST_PART_OF_LINE)
            .toList();
    if (pieces.size() < 2) {
      return Optional.empty();
    }
    for (Part part : named) {
      int first = -1;
      int last = -1;
      int stand = 0;
      for (String piece : pieces) {
        int from = last < 0 ? near : part.firstLine() + last;
        Optional<Place> place =
            whole(List.of(part), piece, from).or(() -> withSlips(List.of(part), piece, from));
        if (place.isPresent() && place.get().first() >= last) {
          first = first < 0 ? place.get().first() : first;
          last = place.get().last();
          stand++;
        }
      }
      if (stand >= 2 && 4 * stand >= 3 * pieces.size() && last - first < mostLines) {
        return Optional.of(new Place(part, first, last, 0, false));
      }
    }
    return Optional.empty();
  }

  /** Whole lines before parts of lines, then the nearest. */
  private static Optional<Place> nearest(List<Place> places, int near) {
    return places.stream()
        .min(
            Comparator.comparing((Place place) -> !place.lines())
                .thenComparingInt(
                    place -> Math.abs(place.part().firstLine() + place.first() - near)));
  }

  /** The lines that the quote names if they are around its text and not too many. */
  private Found spanned(Place place, Quote quote) {
    Part part = place.part();
    int first = quote.firstLine() - part.firstLine();
    int last = Math.min(part.lines().size() - 1, quote.lastLine() - part.firstLine());
    boolean around = first >= 0 && first <= place.first() && place.last() <= last;
    return around && last - first < mostLines
        ? found(part, first, last)
        : found(part, place.first(), Math.min(place.last(), place.first() + mostLines - 1));
  }

  private static Found found(Part part, int first, int last) {
    return new Found(
        part.file(),
        part.firstLine() + first,
        part.firstLine() + last,
        String.join("\n", part.lines().subList(first, last + 1)),
        part.page());
  }

  private static int distance(Part part, int line) {
    int last = part.firstLine() + part.lines().size() - 1;
    return line < part.firstLine() ? part.firstLine() - line : Math.max(0, line - last);
  }

  private static int clamp(int line, Part part) {
    return Math.max(0, Math.min(line, part.lines().size() - 1));
  }

  /** Without what a page shows before some lines, where a model has copied it. */
  private static String withoutMarks(String text) {
    return String.join(
        "\n", text.lines().map(line -> COPIED_MARK.matcher(line).replaceFirst("")).toList());
  }

  private static String compact(String text) {
    StringBuilder dense = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      if (!Character.isWhitespace(text.charAt(i))) {
        dense.append(text.charAt(i));
      }
    }
    return dense.toString();
  }

  /**
   * Where a text stands in another one with few slips: characters put in, left out or exchanged.
   * After Sellers, "The theory and computation of evolutionary distances: pattern recognition"
   * (1980): one row of the edit-distance table whose first cell is free at each place. Takes time
   * as the product of both lengths.
   */
  static final class Slips {

    /** A part of the longer text, and how far it is from the shorter one. */
    record Match(int from, int to, int distance) {}

    private Slips() {}

    /**
     * The part of a text that is nearest to what is wanted, of equal ones the nearest to a place.
     *
     * @param near an index in the text
     * @param most slips; null is returned where each part has more
     */
    static Match nearest(String wanted, String text, int near, int most) {
      int rows = wanted.length();
      int[] cost = new int[rows + 1];
      int[] start = new int[rows + 1];
      for (int i = 0; i <= rows; i++) {
        cost[i] = i;
      }
      Match best = null;
      for (int j = 1; j <= text.length(); j++) {
        int diagonalCost = cost[0];
        int diagonalStart = start[0];
        start[0] = j;
        for (int i = 1; i <= rows; i++) {
          int change = diagonalCost + (wanted.charAt(i - 1) == text.charAt(j - 1) ? 0 : 1);
          int changeStart = i == 1 ? j - 1 : diagonalStart;
          diagonalCost = cost[i];
          diagonalStart = start[i];
          int left = cost[i] + 1;
          int above = cost[i - 1] + 1;
          if (change <= left && change <= above) {
            cost[i] = change;
            start[i] = changeStart;
          } else if (above < left) {
            cost[i] = above;
            start[i] = start[i - 1];
          } else {
            cost[i] = left;
          }
        }
        if (cost[rows] <= most && (best == null || better(cost[rows], start[rows], best, near))) {
          best = new Match(start[rows], j, cost[rows]);
        }
      }
      return best;
    }

    private static boolean better(int distance, int from, Match best, int near) {
      return distance < best.distance()
          || distance == best.distance() && Math.abs(from - near) < Math.abs(best.from() - near);
    }
  }
}
