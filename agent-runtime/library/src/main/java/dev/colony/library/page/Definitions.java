package dev.colony.library.page;

import com.google.re2j.Pattern;
import dev.colony.library.page.Definitions.Definition;
import dev.colony.library.page.Language.Definer;
import dev.colony.library.page.Language.Kind;
import dev.colony.library.page.Spans.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
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

  /**
   * A name in code.
   *
   * @param name its last part
   * @param around what it is qualified by, the innermost; empty where it is not
   */
  record Symbol(String name, Optional<String> around) {

    private static final java.util.regex.Pattern NAME =
        java.util.regex.Pattern.compile("[\\p{L}\\p{N}_$-]*[\\p{L}\\p{N}_$][!?]?");

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

    Pattern pattern() {
      return Pattern.compile(Pattern.quote(name));
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
      List<Part> parts = new ArrayList<>();
      for (Definition one : Definitions.in(file)) {
        parts.add(new Part(one, Blocks.end(file, one.at(), MOST_LINES)));
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

  /**
   * How far a definition reaches: from its comment and its annotations to the end of its body,
   * which is where its brackets are closed, or where its indentation ends.
   */
  static final class Blocks {

    private static final int HEAD_LINES = 30;

    private Blocks() {}

    /**
     * The definition that a line begins.
     *
     * @param most lines from that one on; a longer body is cut
     */
    static Span of(MappedText file, int at, int most, String kind, int lineChars) {
      Language language = Language.of(file.path());
      return file.span(head(file, language, at), end(file, at, most), kind, lineChars);
    }

    /** The last line of the definition that a line begins, as far as it is looked for. */
    static int end(MappedText file, int at, int most) {
      return switch (Language.of(file.path()).block()) {
        case BRACES -> braces(file, at, most);
        case INDENT -> indented(file, at, most);
        case LINE -> at;
      };
    }

    /** The first line of the comment and the annotations above. */
    private static int head(MappedText file, Language language, int at) {
      int first = at;
      while (first > 0 && at - first < HEAD_LINES && file.joined(first - 1)) {
        String above = file.line(first - 1);
        String stripped = above.strip();
        boolean belongs =
            language.comment(above) || stripped.startsWith("@") || stripped.startsWith("#[");
        if (!belongs) {
          break;
        }
        first--;
      }
      return first;
    }

    /**
     * Where the first brace that is opened is closed, or the statement ends before there is one.
     */
    private static int braces(MappedText file, int at, int most) {
      int braces = 0;
      int others = 0;
      boolean comment = false;
      int last = Math.min(file.count(), at + most) - 1;
      for (int line = at; line <= last; line++) {
        String text = file.line(line);
        for (int i = 0; i < text.length(); i++) {
          char c = text.charAt(i);
          if (comment) {
            if (text.startsWith("*/", i)) {
              comment = false;
              i++;
            }
          } else if (text.startsWith("/*", i)) {
            comment = true;
            i++;
          } else if (text.startsWith("//", i)) {
            break;
          } else if (c == '"' || c == '\'' || c == '`') {
            i = closing(text, i);
          } else if (c == '{') {
            braces++;
          } else if (c == '}') {
            braces--;
            if (braces <= 0) {
              return line;
            }
          } else if (c == '(' || c == '[') {
            others++;
          } else if (c == ')' || c == ']') {
            others--;
          } else if (c == ';' && braces == 0 && others <= 0) {
            return line;
          }
        }
        if (braces == 0 && others <= 0 && !opensLater(file, line)) {
          return deeper(file, line, last);
        }
      }
      return last;
    }

    /** Whether the body may begin on a line after this one. */
    private static boolean opensLater(MappedText file, int line) {
      String text = file.line(line).stripTrailing();
      String next = line + 1 < file.count() ? file.line(line + 1).strip() : "";
      return next.startsWith("{")
          || next.startsWith("throws ")
          || next.startsWith("extends ")
          || next.startsWith("implements ")
          || next.startsWith("permits ")
          || next.startsWith(":")
          || text.endsWith(",")
          || text.endsWith("implements")
          || text.endsWith("extends")
          || text.endsWith("throws");
    }

    /** A body without braces: what is indented more than the line. */
    private static int deeper(MappedText file, int line, int last) {
      int own = indent(file.line(line));
      int end = line;
      for (int next = line + 1; next <= last; next++) {
        String text = file.line(next);
        if (!text.isBlank() && indent(text) <= own) {
          break;
        }
        end = text.isBlank() ? end : next;
      }
      return end;
    }

    private static int indented(MappedText file, int at, int most) {
      int last = Math.min(file.count(), at + most) - 1;
      int end = deeper(file, at, last);
      // The closing bracket of parameters, and the word that ends a block, stand under its head.
      while (end < last
          && indent(file.line(end + 1)) == indent(file.line(at))
          && file.line(end + 1).strip().matches("\\).*|end")) {
        end = deeper(file, end + 1, last);
      }
      return end;
    }

    private static int indent(String line) {
      int at = 0;
      while (at < line.length() && Character.isWhitespace(line.charAt(at))) {
        at++;
      }
      return at;
    }

    /** Where a literal ends that begins here; where it does not, as an apostrophe, itself. */
    private static int closing(String text, int at) {
      char quote = text.charAt(at);
      for (int i = at + 1; i < text.length(); i++) {
        if (text.charAt(i) == '\\') {
          i++;
        } else if (text.charAt(i) == quote) {
          return i;
        }
      }
      return at;
    }
  }
}
