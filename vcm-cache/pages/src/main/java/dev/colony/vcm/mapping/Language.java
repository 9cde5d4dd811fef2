package dev.colony.vcm.mapping;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What definitions look like in a family of languages, a line at a time. Knows no grammar: a line
 * that is written in an unusual way is missed, and one within a comment's body may be taken.
 */
public enum Language {
  /** Java and what is written like it: Kotlin, Scala, Groovy, C#. */
  JAVA(
      Comments.SLASHES,
      Block.BRACES,
      "java kt kts scala sc groovy gradle cs swift dart",
      rule(
          Kind.TYPE,
          "^\\s*ANNOTATIONS(?:[\\w-]+(?:\\[\\w+\\])?\\s+)*(?:class|interface|enum|record|object|trait|struct|@interface"
              + "|typealias|type|protocol|extension|given)\\s+NAME\\b"),
      rule(
          Kind.FUNCTION,
          "^\\s*ANNOTATIONS(?:[\\w-]+(?:\\[\\w+\\])?\\s+)*(?:fun|def|func)\\s+(?:<[^>]*>\\s*)?"
              + "(?:[\\w.<>?*, ]+\\.)?NAME\\b"),
      rule(Kind.FUNCTION, "^\\s*ANNOTATIONS(?:[\\w$.<>\\[\\],?&]+\\s+)+NAME\\s*\\("),
      rule(
          Kind.FUNCTION,
          "^\\s*ANNOTATIONS(?:(?:public|private|protected|internal)\\s+)?NAME\\s*\\([^;]*\\{\\s*$"),
      rule(Kind.FUNCTION, "^\\s*ANNOTATIONS(?:public|private|protected|internal)\\s+NAME\\s*\\("),
      rule(
          Kind.VARIABLE,
          "^\\s*ANNOTATIONS(?:[\\w-]+(?:\\[\\w+\\])?\\s+)*(?:val|var|let)\\s+NAME\\b"),
      rule(
          Kind.VARIABLE,
          "^\\s*ANNOTATIONS(?:(?:public|private|protected|internal|static|final|volatile|transient"
              + "|const|readonly|override)\\s+)+(?:[\\w$.<>\\[\\],?]+\\s+)+NAME\\s*(?:=|;|$)"),
      rule(Kind.CONSTANT, "^\\s+NAME\\s*(?:\\(.*)?[,;{]?\\s*$")),
  PYTHON(
      Comments.HASH,
      Block.INDENT,
      "py pyi pyx",
      rule(Kind.TYPE, "^\\s*class\\s+NAME\\b"),
      rule(Kind.FUNCTION, "^\\s*(?:async\\s+)?def\\s+NAME\\b"),
      rule(Kind.VARIABLE, "^(?:    |\\t)?NAME\\s*(?::[^=]+)?=[^=]")),
  GO(
      Comments.SLASHES,
      Block.BRACES,
      "go",
      rule(Kind.TYPE, "^\\s*type\\s+NAME\\b"),
      rule(Kind.TYPE, "^\\tNAME\\s+(?:struct|interface)\\b"),
      rule(Kind.FUNCTION, "^func\\s+(?:\\([^)]*\\)\\s*)?NAME\\s*[\\[(]"),
      rule(Kind.VARIABLE, "^(?:var|const)\\s+NAME\\b"),
      rule(Kind.VARIABLE, "^\\tNAME\\s+(?:[\\w.*\\[\\]]+\\s+)?=[^=]")),
  C(
      Comments.SLASHES,
      Block.BRACES,
      "c h cc cpp cxx hh hpp hxx m mm cu",
      rule(Kind.CONSTANT, "^\\s*#\\s*define\\s+NAME\\b"),
      rule(
          Kind.TYPE,
          "^\\s*(?:typedef\\s+)?(?:template\\s*<[^>]*>\\s*)?(?:struct|union|enum|class|namespace)\\s+"
              + "(?:\\w+\\s+)*NAME\\s*(?:final\\b\\s*)?(?:[:{]|$)"),
      rule(Kind.TYPE, "^\\}\\s*(?:\\w+\\s+)*NAME\\s*;"),
      rule(Kind.TYPE, "^typedef\\b.*\\bNAME\\s*;"),
      rule(Kind.TYPE, "^using\\s+NAME\\s*="),
      rule(Kind.DECLARATION, "^\\s*\\w[\\w:*&<>,\\s]*[\\s*&]NAME\\s*\\([^{]*\\)[^{]*;\\s*$"),
      rule(Kind.FUNCTION, "^\\s*\\w[\\w:*&<>,~\\s]*[\\s*&:~]NAME\\s*\\([^;]*$"),
      rule(Kind.FUNCTION, "^NAME\\s*\\([^;]*$"),
      rule(
          Kind.VARIABLE,
          "^(?:(?:static|extern|const|volatile|constexpr|inline)\\s+)+[\\w:*&<>,\\s]*[\\s*&]"
              + "NAME\\s*(?:\\[[^\\]]*\\]\\s*)*(?:=|;)"),
      rule(
          Kind.VARIABLE, "^\\w[\\w:<>]*\\s[\\w:*&<>\\s]*\\bNAME\\s*(?:\\[[^\\]]*\\]\\s*)*(?:=|;)")),
  SCRIPT(
      Comments.SLASHES,
      Block.BRACES,
      "js jsx ts tsx mjs cjs vue svelte",
      rule(
          Kind.TYPE,
          "^\\s*(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:abstract\\s+)?(?:const\\s+)?"
              + "(?:class|interface|type|enum|namespace)\\s+NAME\\b"),
      rule(
          Kind.FUNCTION,
          "^\\s*(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:async\\s+)?function\\s*\\*?\\s*NAME\\b"),
      rule(
          Kind.FUNCTION,
          "(?:^|[\\s.])NAME\\s*[:=]\\s*(?:async\\s+)?(?:function\\b|\\([^)]*\\)\\s*(?::[^=]+)?=>|\\w+\\s*=>)"),
      rule(
          Kind.FUNCTION,
          "^\\s+(?:(?:public|private|protected|static|async|get|set|override)\\s+)*\\*?#?NAME\\s*"
              + "(?:<[^>]*>)?\\([^;]*\\{\\s*$"),
      rule(Kind.VARIABLE, "^\\s*(?:export\\s+)?(?:const|let|var)\\s+NAME\\b"),
      rule(Kind.VARIABLE, "^\\s*(?:module\\.)?exports\\.NAME\\s*=")),
  RUST(
      Comments.SLASHES,
      Block.BRACES,
      "rs",
      rule(
          Kind.TYPE,
          "^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:unsafe\\s+)?(?:struct|enum|trait|type|mod|union)\\s+NAME\\b"),
      rule(
          Kind.FUNCTION,
          "^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:(?:default|async|unsafe|const|extern(?:\\s+\"\\w+\")?)\\s+)*"
              + "fn\\s+NAME\\b"),
      rule(Kind.FUNCTION, "^\\s*macro_rules!\\s*NAME\\b"),
      rule(
          Kind.VARIABLE,
          "^\\s*(?:pub(?:\\([^)]*\\))?\\s+)?(?:const|static)\\s+(?:mut\\s+)?NAME\\b")),
  RUBY(
      Comments.HASH,
      Block.INDENT,
      "rb rake",
      rule(Kind.TYPE, "^\\s*(?:class|module)\\s+(?:\\w+::)*NAME\\b"),
      rule(Kind.FUNCTION, "^\\s*def\\s+(?:self\\.)?NAME\\b"),
      rule(Kind.CONSTANT, "^\\s*NAME\\s*=[^=]")),
  SHELL(
      Comments.HASH,
      Block.BRACES,
      "sh bash zsh",
      rule(Kind.FUNCTION, "^\\s*(?:function\\s+)?NAME\\s*\\(\\)"),
      rule(Kind.FUNCTION, "^\\s*function\\s+NAME\\b"),
      rule(Kind.VARIABLE, "^\\s*(?:export\\s+|readonly\\s+|local\\s+)?NAME=")),
  SETTINGS(
      Comments.HASH,
      Block.BRACES,
      "conf yaml yml toml properties ini json cfg",
      rule(Kind.SETTING, "^\\s*(?:- )?\"?(?:[\\w-]+\\.)*NAME\"?\\s*(?:[:=]|\\{)")),
  /** Anything else: words that most languages introduce a definition with. */
  OTHER(
      Comments.NONE,
      Block.LINE,
      "",
      rule(
          Kind.TYPE,
          "(?i:^\\s*(?:(?:create|or|replace|pub|public|export|local)\\s+)*(?:class|interface|struct|enum|trait"
              + "|type|module|table|view|message|service))\\s+NAME\\b"),
      rule(
          Kind.FUNCTION,
          "(?i:^\\s*(?:(?:create|or|replace|pub|public|export|local)\\s+)*(?:def|fn|func|function|procedure|sub"
              + "|rpc|proc))\\s+(?:\\w+[.:])?NAME\\b"));

  public enum Kind {
    TYPE,
    FUNCTION,
    CONSTANT,
    VARIABLE,
    SETTING,
    /** Only said to be defined elsewhere. */
    DECLARATION;

    /** Whether a line that uses one looks much like one that defines it. */
    private boolean called() {
      return this == FUNCTION || this == DECLARATION;
    }
  }

  /** How a line that is all comment begins. */
  enum Comments {
    SLASHES("//", "/*", "*"),
    HASH("#", "\"\"\""),
    NONE("<!--", "--");

    private final List<String> beginnings;

    Comments(String... beginnings) {
      this.beginnings = List.of(beginnings);
    }

    boolean begin(String stripped) {
      return beginnings.stream().anyMatch(stripped::startsWith);
    }
  }

  /** Where the body of a definition ends. */
  enum Block {
    BRACES,
    INDENT,
    LINE
  }

  private record Rule(Kind kind, String expression) {}

  private static final String ANY_NAME = "[A-Za-z_$][\\w$]*";
  private static final String ANNOTATIONS = "(?:@[\\w.:]+(?:\\([^)]*\\))?\\s+)*";
  private static final int LONGEST_LINE = 1_000;

  /** Words before a bracket that call, or branch, and define nothing. */
  private static final Set<String> NO_TYPES =
      words(
          """
          return new throw else case import package if while for switch catch assert yield await
          do in is instanceof when match not and or goto delete sizeof typeof raise echo
          """);

  /** Words that are no names. */
  private static final Set<String> NO_NAMES =
      Stream.concat(
              NO_TYPES.stream(),
              words(
                  """
                  super this try finally synchronized function constructor default class void static
                  public private protected
                  """)
                  .stream())
          .collect(Collectors.toUnmodifiableSet());

  private static final Map<String, Language> BY_ENDING =
      Arrays.stream(values())
          .flatMap(language -> language.endings.stream().map(ending -> Map.entry(ending, language)))
          .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

  private final Comments comments;
  private final Block block;
  private final List<String> endings;
  private final List<Rule> rules;
  private final Definer any;

  Language(Comments comments, Block block, String endings, Rule... rules) {
    this.comments = comments;
    this.block = block;
    this.endings = endings.isEmpty() ? List.of() : List.of(endings.split(" "));
    this.rules = List.of(rules);
    this.any = new Definer(this.rules, ANY_NAME);
  }

  private static Set<String> words(String text) {
    return Set.of(text.strip().split("\\s+"));
  }

  private static Rule rule(Kind kind, String expression) {
    return new Rule(kind, expression);
  }

  /** That of a file, by its name. */
  public static Language of(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return BY_ENDING.getOrDefault(ending, OTHER);
  }

  Block block() {
    return block;
  }

  /** Whether a line is all comment. */
  public boolean comment(String line) {
    return comments.begin(line.strip());
  }

  /** Tells lines that define this name. */
  public Definer defining(String name) {
    return new Definer(rules, Pattern.quote(name));
  }

  /** Tells lines that define any name. */
  public Definer any() {
    return any;
  }

  /** What a line defines. */
  public record Defined(Kind kind, String name) {}

  /** Tells whether lines define something. Immutable. */
  public static final class Definer {

    private record Compiled(Kind kind, Pattern pattern) {}

    private final List<Compiled> rules = new ArrayList<>();

    private Definer(List<Rule> rules, String name) {
      for (Rule rule : rules) {
        String expression =
            rule.expression()
                .replace("ANNOTATIONS", ANNOTATIONS)
                .replaceFirst("NAME", Matcher.quoteReplacement("(?P<name>" + name + ")"));
        this.rules.add(new Compiled(rule.kind(), Pattern.compile(expression)));
      }
    }

    /**
     * What a line defines first; empty for nothing. Constants of a Java-like enum look like any
     * argument on a line of its own: the caller has to look where they stand.
     */
    public Optional<Defined> in(String line) {
      if (line.length() > LONGEST_LINE) {
        return Optional.empty();
      }
      for (Compiled rule : rules) {
        Matcher matcher = rule.pattern().matcher(line);
        if (matcher.find()) {
          String name = matcher.group("name");
          if (!NO_NAMES.contains(name)
              && (!rule.kind().called() || typed(line, matcher.start("name")))) {
            return Optional.of(new Defined(rule.kind(), name));
          }
        }
      }
      return Optional.empty();
    }

    /** Whether what stands before a name and a bracket may be modifiers and a type. */
    private static boolean typed(String line, int name) {
      int depth = 0;
      StringBuilder before = new StringBuilder();
      for (int at = 0; at < name; at++) {
        char c = line.charAt(at);
        before.append(c);
        depth += c == '<' || c == '(' || c == '[' ? 1 : c == '>' || c == ')' || c == ']' ? -1 : 0;
        if (c == ',' && depth == 0) {
          return false;
        }
      }
      return Arrays.stream(before.toString().strip().split("[^\\w]+"))
          .noneMatch(NO_TYPES::contains);
    }
  }
}
