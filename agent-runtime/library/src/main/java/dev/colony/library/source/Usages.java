package dev.colony.library.source;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds where symbols are used: the lines where the word stands and is not defined. Calls come
 * before other uses, these before imports and comments; code before tests; and each file's first
 * one before any file's second.
 */
final class Usages {

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
        .forEach(one -> defined.computeIfAbsent(one.file(), file -> new HashSet<>()).add(one.at()));
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
