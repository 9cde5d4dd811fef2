package dev.colony.library.source;

import com.google.re2j.Pattern;
import dev.colony.library.source.Language.Definer;
import dev.colony.library.source.Language.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Finds where symbols are defined, by what lines look like: see {@link Language}. A symbol may be
 * qualified by what is around it, as in {@code Page.size}, {@code Page#size} or {@code page::size};
 * then a definition that stands in that is meant, where there is one.
 */
final class Definitions {

  /** The constants of an enum stand within so many lines after its head. */
  private static final int ENUM_LINES = 200;

  private static final Pattern ENUM = Pattern.compile("\\benum\\s+(?:class\\s+)?\\w+");

  private final SourceTree tree;

  Definitions(SourceTree tree) {
    this.tree = tree;
  }

  /** A line that defines something. */
  record Definition(MappedText file, int at, Kind kind, String name) {

    Span span(int lines, int lineChars) {
      return Blocks.of(file, at, lines, kind.name().toLowerCase(Locale.ROOT), lineChars);
    }
  }

  /** The definitions of a symbol, the likeliest first; empty means that none looks like one. */
  List<Definition> of(Symbol symbol) {
    Map<Language, Definer> definers = new EnumMap<>(Language.class);
    List<Definition> found = new ArrayList<>();
    for (MappedText file : tree.files()) {
      Language language = Language.of(file.path());
      for (int at : symbol.lines(file)) {
        String line = file.line(at);
        if (language.comment(line)) {
          continue;
        }
        definers
            .computeIfAbsent(language, key -> key.of(symbol.pattern()))
            .in(line)
            .filter(defined -> defined.kind() != Kind.CONSTANT || constant(file, language, at))
            .ifPresent(
                defined -> found.add(new Definition(file, at, defined.kind(), symbol.name())));
      }
    }
    List<Definition> within =
        symbol.around().stream()
            .flatMap(outer -> found.stream().filter(one -> isWithin(one, outer)))
            .toList();
    return (within.isEmpty() ? found : within).stream().sorted(likeliest(symbol)).toList();
  }

  /** What a file defines, in its order; constants, variables and settings are left out. */
  static List<Definition> in(MappedText file) {
    Language language = Language.of(file.path());
    List<Definition> found = new ArrayList<>();
    for (int at = 0; at < file.count(); at++) {
      String line = file.line(at);
      if (!language.comment(line)) {
        int here = at;
        language
            .any()
            .in(line)
            .filter(defined -> defined.kind() == Kind.TYPE || defined.kind() == Kind.FUNCTION)
            .ifPresent(
                defined -> found.add(new Definition(file, here, defined.kind(), defined.name())));
      }
    }
    return found;
  }

  /** What begins with the name of a constant in Java-like code is one if an enum is around it. */
  private static boolean constant(MappedText file, Language language, int at) {
    if (language != Language.JAVA) {
      return true;
    }
    for (int before = at; before >= 0 && at - before < ENUM_LINES; before--) {
      if (ENUM.matcher(file.line(before)).find()) {
        return true;
      }
      String line = file.line(before).strip();
      if (before < at && (line.endsWith(";") || line.equals("}"))) {
        return false;
      }
    }
    return false;
  }

  /** Whether a definition stands in a type, module or file of this name. */
  private static boolean isWithin(Definition one, String outer) {
    if (SourceTree.stem(one.file().path()).equals(outer)) {
      return true;
    }
    Optional<Symbol> type = Symbol.of(outer);
    if (type.isEmpty()) {
      return false;
    }
    Language language = Language.of(one.file().path());
    Definer definer = language.of(type.get().pattern());
    if (one.file().line(one.at()).matches(".*\\b\\Q" + outer + "\\E(?:::|\\)|\\.).*")) {
      return true;
    }
    return type.get().lines(one.file()).stream()
        .filter(at -> at < one.at())
        .anyMatch(
            at -> definer.in(one.file().line(at)).filter(it -> it.kind() == Kind.TYPE).isPresent());
  }

  private static Comparator<Definition> likeliest(Symbol symbol) {
    return Comparator.<Definition, Kind>comparing(Definition::kind)
        .thenComparing(one -> SourceTree.isTest(one.file().path()))
        .thenComparing(one -> !SourceTree.stem(one.file().path()).equals(symbol.name()))
        .thenComparing(one -> one.file().path().length())
        .thenComparing(one -> one.file().path())
        .thenComparing(Definition::at);
  }
}
