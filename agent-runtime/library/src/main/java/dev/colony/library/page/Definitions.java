package dev.colony.library.page;

import dev.colony.library.page.Definitions.Definition;
import dev.colony.library.page.Spans.Span;
import dev.colony.vcm.mapping.Blocks;
import dev.colony.vcm.mapping.Language;
import dev.colony.vcm.mapping.Language.Definer;
import dev.colony.vcm.mapping.Language.Kind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds where symbols are defined, by what lines look like: see {@link Language}. A symbol may be
 * qualified by what is around it, as in {@code Page.size}, {@code Page#size} or {@code page::size};
 * then a definition that stands in that is meant, where there is one.
 */
final class Definitions {

  /** The constants of an enum stand within so many lines after its head. */
  private static final int ENUM_LINES = 200;

  /** Lines of a comment above a definition that are shown with it. */
  private static final int HEAD_LINES = 30;

  private static final Pattern ENUM = Pattern.compile("\\benum\\s+(?:class\\s+)?\\w+");

  private final SourceTree tree;

  Definitions(SourceTree tree) {
    this.tree = tree;
  }

  /** A line that defines something. */
  record Definition(MappedText file, int at, Kind kind, String name) {

    Span span(int lines, int lineChars) {
      Language language = Language.of(file.path());
      return file.span(
          file.run(at)
              + Blocks.head(language, file.lines().subList(file.run(at), at + 1), HEAD_LINES),
          Blocks.end(language, file.lines(), at, lines),
          kind.name().toLowerCase(Locale.ROOT),
          lineChars);
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
            .computeIfAbsent(language, key -> key.defining(symbol.name()))
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
    Definer definer = language.defining(type.get().name());
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

  /**
   * A name in code.
   *
   * @param name its last part
   * @param around what it is qualified by, the innermost; empty where it is not
   */
  record Symbol(String name, Optional<String> around) {

    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}_$-]*[\\p{L}\\p{N}_$][!?]?");

    /** Reads a name, brackets after it left out; empty where it is none. */
    static Optional<Symbol> of(String given) {
      String text = given.strip().replaceFirst("\\(.*", "");
      String[] parts = text.split("\\.|#|::|->", -1);
      String name = parts[parts.length - 1];
      if (!NAME.matcher(name).matches()) {
        return Optional.empty();
      }
      String outer = parts.length > 1 ? parts[parts.length - 2] : "";
      return Optional.of(
          new Symbol(name, NAME.matcher(outer).matches() ? Optional.of(outer) : Optional.empty()));
    }

    /** The lines that have the symbol as a whole word, each line once. */
    List<Integer> lines(MappedText file) {
      List<Integer> lines = new ArrayList<>();
      String text = file.text();
      int from = 0;
      while (true) {
        int at = text.indexOf(name, from);
        if (at < 0) {
          return lines;
        }
        if (isWord(text, at)) {
          int line = file.lineAt(at);
          lines.add(line);
          from = file.start(line + 1);
        } else {
          from = at + 1;
        }
      }
    }

    /** The index of the symbol's first occurrence as a whole word in a line, or -1. */
    int in(String line) {
      for (int at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
        if (isWord(line, at)) {
          return at;
        }
      }
      return -1;
    }

    private boolean isWord(String text, int at) {
      int end = at + name.length();
      return (at == 0 || !part(text.charAt(at - 1)))
          && (end == text.length() || !part(text.charAt(end)));
    }

    private static boolean part(char c) {
      return Character.isLetterOrDigit(c) || c == '_' || c == '$';
    }
  }

  /** What a file defines, with how far each definition reaches. Immutable. */
  static final class Outline {

    /** Lines of a definition that are looked at for its end. */
    private static final int MOST_LINES = 20_000;

    /**
     * A definition in its file.
     *
     * @param last position of its last line, inclusive
     */
    record Part(Definition definition, int last) {

      boolean has(int at) {
        return definition.at() <= at && at <= last;
      }
    }

    private final List<Part> parts;

    private Outline(List<Part> parts) {
      this.parts = parts;
    }

    static Outline of(MappedText file) {
      Language language = Language.of(file.path());
      List<Part> parts = new ArrayList<>();
      for (Definition one : Definitions.in(file)) {
        parts.add(new Part(one, Blocks.end(language, file.lines(), one.at(), MOST_LINES)));
      }
      return new Outline(parts);
    }

    List<Part> parts() {
      return parts;
    }

    /** The innermost definition that a line is part of; empty where it is part of none. */
    Optional<Definition> around(int at) {
      Optional<Definition> innermost = Optional.empty();
      for (Part part : parts) {
        if (part.has(at)) {
          innermost = Optional.of(part.definition());
        }
      }
      return innermost;
    }

    /** Outlines of files, each made once. */
    static final class Cache {

      private final Map<MappedText, Outline> outlines = new HashMap<>();

      Outline of(MappedText file) {
        return outlines.computeIfAbsent(file, Outline::of);
      }
    }
  }
}
