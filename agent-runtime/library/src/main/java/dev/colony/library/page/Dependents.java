package dev.colony.library.page;

import dev.colony.library.page.Definitions.Definition;
import dev.colony.library.page.Definitions.Outline;
import dev.colony.library.page.Definitions.Symbol;
import dev.colony.library.page.Dependents.Usages.Usage;
import dev.colony.library.page.Spans.Span;
import dev.colony.vcm.mapping.Language;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds what depends on a symbol: where it is used, then where the functions are used that use it,
 * and so on. Goes by names, so that what it finds may be too much; a name that many things have is
 * not followed.
 */
final class Dependents {

  /** A name that more definitions have says little of which of them is used. */
  private static final int MOST_MEANINGS = 3;

  /** Names that are followed from one symbol. */
  private static final int MOST_FOLLOWED = 200;

  /** Distances from one symbol. */
  static final int MOST_DEPTH = 5;

  /**
   * A place that depends on the symbol.
   *
   * @param distance 1 where it uses the symbol itself, 2 where it uses what is around such a place
   * @param uses the name that stands there
   * @param line where
   * @param within the definition around it; empty where there is none
   * @param test whether it is in a file of tests
   * @param span the line with the lines around it
   */
  record Dependent(int distance, String uses, int line, String within, boolean test, Span span) {}

  /**
   * What was found.
   *
   * @param sites the nearest first
   * @param found how many there are, those included that are left out
   * @param leftOut how many of them are not among the sites
   * @param tests files of tests among all of them
   * @param notFollowed names that too many things have, so that what uses them is not known
   */
  record Result(
      List<Dependent> sites,
      int found,
      int leftOut,
      List<String> tests,
      List<String> notFollowed) {}

  /**
   * How much is looked for.
   *
   * @param depth the largest distance
   * @param sites of the result
   * @param chars of the text of all sites
   * @param context lines around each
   */
  record Bounds(int depth, int sites, int chars, int context, int lineChars) {}

  private record Next(Symbol symbol, int distance) {}

  private final SourceTree tree;
  private final Outline.Cache outlines = new Outline.Cache();
  private final Set<Usage> seen = new HashSet<>();
  private final List<Dependent> all = new ArrayList<>();
  private final Set<String> notFollowed = new LinkedHashSet<>();

  private Dependents(SourceTree tree) {
    this.tree = tree;
  }

  static Result of(SourceTree tree, Symbol symbol, Bounds bounds) {
    return new Dependents(tree).find(symbol, bounds);
  }

  private Result find(Symbol first, Bounds bounds) {
    Set<String> followed = new HashSet<>(Set.of(first.name()));
    Deque<Next> next = new ArrayDeque<>(List.of(new Next(first, 1)));
    while (!next.isEmpty()) {
      Next one = next.remove();
      for (Usage usage : new Usages(tree).ranked(one.symbol())) {
        if (usage.kind() == Usages.Kind.COMMENT || !seen.add(usage)) {
          continue;
        }
        Optional<Definition> around = outlines.of(usage.file()).around(usage.at());
        all.add(dependent(one, usage, around, bounds));
        boolean test = SourceTree.isTest(usage.file().path());
        if (one.distance() < bounds.depth() && !test && followed.size() < MOST_FOLLOWED) {
          around
              .filter(definition -> definition.kind() == Language.Kind.FUNCTION)
              .map(Definition::name)
              .filter(followed::add)
              .flatMap(Symbol::of)
              .filter(this::telling)
              .ifPresent(name -> next.add(new Next(name, one.distance() + 1)));
        }
      }
    }
    return result(bounds);
  }

  private boolean telling(Symbol name) {
    boolean few =
        new Definitions(tree)
                .of(name).stream()
                    .filter(one -> !SourceTree.isTest(one.file().path()))
                    .limit(MOST_MEANINGS + 1L)
                    .count()
            <= MOST_MEANINGS;
    if (!few) {
      notFollowed.add(name.name());
    }
    return few;
  }

  private static Dependent dependent(
      Next next, Usage usage, Optional<Definition> around, Bounds bounds) {
    MappedText file = usage.file();
    int from = usage.at();
    while (from > 0 && usage.at() - from < bounds.context() && file.joined(from - 1)) {
      from--;
    }
    int to = Math.min(file.count() - 1, usage.at() + bounds.context());
    return new Dependent(
        next.distance(),
        next.symbol().name(),
        file.number(usage.at()),
        around.map(Definition::name).orElse(""),
        SourceTree.isTest(file.path()),
        file.span(from, to, usage.kind().name().toLowerCase(Locale.ROOT), bounds.lineChars()));
  }

  private Result result(Bounds bounds) {
    Set<String> tests = new TreeSet<>();
    all.stream().filter(Dependent::test).forEach(one -> tests.add(one.span().file()));
    List<Dependent> shown = new ArrayList<>();
    long chars = 0;
    for (Dependent one : all) {
      chars += one.span().text().length();
      if (shown.size() == bounds.sites() || chars > bounds.chars() && !shown.isEmpty()) {
        break;
      }
      shown.add(one);
    }
    return new Result(
        shown,
        all.size(),
        all.size() - shown.size(),
        tests.stream().limit(Spans.MOST_OTHERS).toList(),
        notFollowed.stream().limit(Spans.MOST_OTHERS).toList());
  }

  /**
   * Finds where symbols are used: the lines where the word stands and is not defined. Calls come
   * before other uses, these before imports and comments; code before tests; and each file's first
   * one before any file's second.
   */
  static final class Usages {

    /** What a line does with the word, the telling ones first. */
    enum Kind {
      CALL,
      REFERENCE,
      IMPORT,
      COMMENT
    }

    /** A line with the word. */
    record Usage(MappedText file, int at, Kind kind) {}

    private final SourceTree tree;

    Usages(SourceTree tree) {
      this.tree = tree;
    }

    /** The usages, the telling ones first; a span each. */
    List<Span> of(Symbol symbol, int lineChars) {
      return ranked(symbol).stream()
          .map(one ->
              one.file()
                  .span(one.at(), one.at(), one.kind().name().toLowerCase(Locale.ROOT), lineChars))
          .toList();
    }

    /** The same as lines of files. */
    List<Usage> ranked(Symbol symbol) {
      Map<MappedText, Set<Integer>> defined = new HashMap<>();
      new Definitions(tree)
          .of(new Symbol(symbol.name(), Optional.empty()))
          .forEach(
              one -> defined.computeIfAbsent(one.file(), file -> new HashSet<>()).add(one.at()));
      List<Usage> all = new ArrayList<>();
      for (MappedText file : tree.files()) {
        Language language = Language.of(file.path());
        for (int at : symbol.lines(file)) {
          if (!defined.getOrDefault(file, Set.of()).contains(at)) {
            all.add(new Usage(file, at, kind(language, file.line(at), symbol)));
          }
        }
      }
      all.sort(
          Comparator.comparing(Usage::kind)
              .thenComparing(one -> SourceTree.isTest(one.file().path()))
              .thenComparing(one -> one.file().path())
              .thenComparing(Usage::at));
      Map<String, Integer> seen = new HashMap<>();
      Map<Usage, Integer> turns = new HashMap<>();
      all.forEach(one -> turns.put(one, seen.merge(one.file().path(), 1, Integer::sum)));
      return all.stream().sorted(Comparator.comparing(turns::get)).toList();
    }

    private static Kind kind(Language language, String line, Symbol symbol) {
      String stripped = line.strip();
      int at = symbol.in(line);
      if (language.comment(line) || commented(language, line, at)) {
        return Kind.COMMENT;
      }
      if (stripped.matches("(?:import|from|#\\s*include|use|using|package|require|export \\{).*")) {
        return Kind.IMPORT;
      }
      String after = line.substring(at + symbol.name().length()).stripLeading();
      return after.startsWith("(") || line.startsWith("::", Math.max(0, at - 2))
          ? Kind.CALL
          : Kind.REFERENCE;
    }

    private static boolean commented(Language language, String line, int at) {
      int slashes = line.indexOf("//");
      return slashes >= 0
          && slashes < at
          && language.comment("//")
          && (slashes == 0 || line.charAt(slashes - 1) != ':');
    }
  }
}
