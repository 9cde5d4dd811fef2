package dev.colony.replica.lexical;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells kinds of lines apart by their shape, for the languages that use braces, {@code def} or
 * {@code fn}. No parser: a wrong kind costs a little weight, never a wrong quote.
 */
final class LineKinds {

  private static final String MODIFIERS =
      "^\\s*+(?:(?:public|private|protected|internal|abstract|final|sealed|non-sealed|static|open"
          + "|default|synchronized|native|implicit|lazy|override|case|inline|async|export|pub|data"
          + "|transient|volatile|const)(?:[\\[(][\\w.]*+[\\])])?+\\s++)*+";

  private static final List<String> TYPE_KEYWORDS =
      List.of(
          "class ", "interface ", "record ", "enum ", "trait ", "object ", "struct ", "protocol ");

  private static final Pattern TYPE =
      Pattern.compile(
          MODIFIERS
              + "(?:class|@?interface|record|enum|trait|object|struct|protocol)"
              + "\\s+([A-Za-z_$][\\w$]*)");

  private static final Pattern KEYWORD_MEMBER =
      Pattern.compile(
          MODIFIERS + "(?:def|fun|func|fn|function|val|var)\\s+(?:\\([^)]*\\)\\s*)?([\\w$]+)");

  private static final Pattern METHOD =
      Pattern.compile(
          MODIFIERS + "(?:<[^>]*>\\s*)?(?:[\\w$.]+(?:<.*>)?(?:\\[\\])*\\s+)?([\\w$]+)\\s*\\(");

  private static final Pattern FIELD =
      Pattern.compile(
          "^\\s*+(?:(?:public|private|protected|static|final|volatile|const)\\s++)++"
              + "[\\w$.]+(?:<.*>)?(?:\\[\\])*\\s+([\\w$]+)\\s*(?:=|;)");

  /** A name that is given a number, a duration, a text or a truth value; comments are none. */
  private static final Pattern CONSTANT =
      Pattern.compile(
          "^\\s*+(?!\\*|//|/\\*)[^=:(]*[\\w\\]\"']\\s*+(?:=|:(?!:))\\s*+(?:\\(?\\w+\\)\\s*+)?"
              + "(?:-?\\d|\"|'|(?:true|false)\\b|Duration\\.|\\w*(?:MAX|MIN)_VALUE|\\w+\\.(?:MAX|MIN)_VALUE"
              + "|TimeUnit\\.|[A-Z][A-Z0-9_]{3,}\\b)");

  private static final Pattern STATEMENT =
      Pattern.compile(
          "^(?:return|throw|new|if|else|for|while|switch|case|catch|do|try|assert|yield|super"
              + "|this|match|raise|await|print\\w*+)\\b.*+");

  private static final Pattern IMPORT =
      Pattern.compile("(?:package|import|using|#include|from\\s+\\S+\\s+import)\\b.*+");

  private static final Set<String> TEXT_FILES =
      Set.of("md", "txt", "rst", "adoc", "html", "xml", "json", "yaml", "yml", "csv", "");

  private static final Set<String> HASH_COMMENTS =
      Set.of("py", "sh", "rb", "conf", "toml", "properties", "tf", "pl");

  private final boolean text;
  private final boolean hashComments;
  private boolean inBlockComment;

  LineKinds(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    int dot = name.lastIndexOf('.');
    String extension = dot < 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
    this.text = TEXT_FILES.contains(extension);
    this.hashComments = HASH_COMMENTS.contains(extension);
  }

  /** The kind of the next line of the file; documentation is told from comments afterwards. */
  LineKind next(String line) {
    String stripped = line.strip();
    if (stripped.isEmpty()) {
      return LineKind.BLANK;
    }
    if (text) {
      return LineKind.PROSE;
    }
    if (inBlockComment) {
      inBlockComment = !stripped.contains("*/");
      return LineKind.COMMENT;
    }
    if (stripped.startsWith("/*")) {
      inBlockComment = !stripped.contains("*/");
      return LineKind.COMMENT;
    }
    if (stripped.startsWith("//")
        || stripped.startsWith("\"\"\"")
        || hashComments && stripped.startsWith("#")) {
      return LineKind.COMMENT;
    }
    if (IMPORT.matcher(stripped).matches()) {
      return LineKind.IMPORT;
    }
    if (typeName(line).isPresent()) {
      return LineKind.TYPE;
    }
    return member(line).isPresent() ? LineKind.MEMBER : LineKind.CODE;
  }

  /** Whether a line gives a name a constant value: in code, in settings. */
  static boolean setsAConstant(String line) {
    return CONSTANT.matcher(line).find();
  }

  /** The name that a declaring line declares. */
  static Optional<String> declaredName(String line) {
    return typeName(line).or(() -> member(line));
  }

  private static Optional<String> typeName(String line) {
    // The cheap test first: most lines of most files end here.
    if (TYPE_KEYWORDS.stream().noneMatch(line::contains)) {
      return Optional.empty();
    }
    Matcher type = TYPE.matcher(line);
    return type.find() ? Optional.of(type.group(1)) : Optional.empty();
  }

  private static Optional<String> member(String line) {
    if (STATEMENT.matcher(line.strip()).matches()) {
      return Optional.empty();
    }
    for (Pattern pattern : List.of(KEYWORD_MEMBER, FIELD)) {
      Matcher matcher = pattern.matcher(line);
      if (matcher.find()) {
        return Optional.of(matcher.group(1));
      }
    }
    return method(line);
  }

  /** A call looks like a constructor; what tells them apart is how the line ends. */
  private static Optional<String> method(String line) {
    Matcher matcher = METHOD.matcher(line);
    if (line.indexOf('(') < 0 || !matcher.find()) {
      return Optional.empty();
    }
    String before = line.substring(0, matcher.start(1)).strip();
    boolean opens = line.stripTrailing().endsWith("{");
    boolean calls = before.isEmpty() && !opens;
    boolean assigns = before.contains("=") || before.contains(".");
    return calls || assigns ? Optional.empty() : Optional.of(matcher.group(1));
  }

  /**
   * What a line of source is.
   *
   * @see LineKinds
   */
  enum LineKind {
    /** Declares a class, interface, record, enum, trait, object or struct. */
    TYPE(1.2),
    /** Declares a method, function, constructor or field. */
    MEMBER(1.1),
    /** Stands in the comment right above a declaration. */
    DOC(1.1),
    /** Any other comment. */
    COMMENT(0.85),
    /** A line of a text file. */
    PROSE(1.0),
    /** Any other code. */
    CODE(0.8),
    /** Package and import lines. */
    IMPORT(0.25),
    /** A licence header. */
    LICENCE(0.1),
    BLANK(0);

    /** How much a line of this kind says about what the code around it is for. */
    final double weight;

    LineKind(double weight) {
      this.weight = weight;
    }

    boolean declares() {
      return this == TYPE || this == MEMBER;
    }
  }
}
