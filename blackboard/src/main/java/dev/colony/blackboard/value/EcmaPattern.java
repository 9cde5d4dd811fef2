package dev.colony.blackboard.value;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A regular expression as JSON schemas have them (ECMA-262 with the flag u), read as one of Java.
 * What the two write differently is rewritten: properties of characters by their long names, names
 * of groups, code points in braces, brackets that stand for themselves, the end of the text.
 * Immutable and thread-safe.
 */
final class EcmaPattern {

  /**
   * Characters that one search looks at, at most; a search that goes on for longer finds nothing.
   */
  static final int MAX_LOOKS = 5_000_000;

  private static final Pattern QUANTIFIER = Pattern.compile("\\{\\d+(,\\d*)?\\}");
  private static final Pattern GROUP = Pattern.compile("\\(\\?<([\\p{L}_$][\\p{L}\\p{N}_$]*)>");
  private static final Pattern BACK = Pattern.compile("\\\\k<([^>]*)>");
  private static final Pattern CODE_POINT = Pattern.compile("\\\\u\\{([0-9A-Fa-f]{1,6})\\}");
  private static final Pattern NUL = Pattern.compile("\\\\0(?![0-9])");
  private static final Pattern PROPERTY = Pattern.compile("\\\\([pP])\\{([A-Za-z0-9_=]+)\\}");

  /** General categories by their long names; Java knows the short ones. */
  private static final Map<String, String> CATEGORIES =
      Stream.of(
              ("Letter=L Cased_Letter=LC Uppercase_Letter=Lu Lowercase_Letter=Ll"
                      + " Titlecase_Letter=Lt Modifier_Letter=Lm Other_Letter=Lo Mark=M"
                      + " Combining_Mark=M Nonspacing_Mark=Mn Spacing_Mark=Mc Enclosing_Mark=Me"
                      + " Number=N Decimal_Number=Nd digit=Nd Letter_Number=Nl Other_Number=No"
                      + " Punctuation=P punct=P Connector_Punctuation=Pc Dash_Punctuation=Pd"
                      + " Open_Punctuation=Ps Close_Punctuation=Pe Initial_Punctuation=Pi"
                      + " Final_Punctuation=Pf Other_Punctuation=Po Symbol=S Math_Symbol=Sm"
                      + " Currency_Symbol=Sc Modifier_Symbol=Sk Other_Symbol=So Separator=Z"
                      + " Space_Separator=Zs Line_Separator=Zl Paragraph_Separator=Zp Other=C"
                      + " Control=Cc cntrl=Cc Format=Cf Surrogate=Cs Private_Use=Co Unassigned=Cn")
                  .split(" "))
          .map(one -> one.split("="))
          .collect(Collectors.toMap(one -> one[0], one -> one[1]));

  private final Pattern pattern;

  private EcmaPattern(Pattern pattern) {
    this.pattern = pattern;
  }

  /**
   * Reads an expression.
   *
   * @throws PatternSyntaxException if it is none, or says what Java has no words for
   */
  static EcmaPattern of(String regex) {
    return new EcmaPattern(Pattern.compile(rewritten(regex)));
  }

  /**
   * Whether it matches somewhere in the text. A search that needs more than {@value #MAX_LOOKS}
   * looks, or more stack than there is, finds nothing.
   */
  boolean foundIn(String text) {
    try {
      return pattern.matcher(new CountedText(text, new int[1], 0, text.length())).find();
    } catch (TooLong | StackOverflowError endless) {
      return false;
    }
  }

  private static String rewritten(String regex) {
    StringBuilder java = new StringBuilder();
    Map<String, String> names = new HashMap<>();
    boolean inClass = false;
    int at = 0;
    while (at < regex.length()) {
      char c = regex.charAt(at);
      int end = at + 1;
      if (c == '\\') {
        end = escape(regex, at, names, java);
      } else if (inClass) {
        // Java nests classes, and intersects them.
        java.append(c == '[' || c == '&' || c == '^' ? "\\" : "").append(c);
        inClass = c != ']';
      } else if (regex.startsWith("[^]", at)) {
        java.append("[\\s\\S]");
        end = at + 3;
      } else if (regex.startsWith("[]", at)) {
        java.append("(?!)");
        end = at + 2;
      } else if (c == '[') {
        inClass = true;
        boolean negated = regex.startsWith("[^", at);
        java.append(negated ? "[^" : "[");
        end = at + (negated ? 2 : 1);
      } else if (c == '{' && !QUANTIFIER.matcher(regex).region(at, regex.length()).lookingAt()) {
        java.append("\\{");
      } else if (c == '$') {
        java.append("\\z");
      } else {
        var group = GROUP.matcher(regex).region(at, regex.length());
        if (group.lookingAt()) {
          java.append("(?<").append(name(group.group(1), at, names)).append('>');
          end = group.end();
        } else {
          java.append(c);
        }
      }
      at = end;
    }
    return java.toString();
  }

  private static int escape(String regex, int at, Map<String, String> names, StringBuilder java) {
    var back = BACK.matcher(regex).region(at, regex.length());
    var codePoint = CODE_POINT.matcher(regex).region(at, regex.length());
    var property = PROPERTY.matcher(regex).region(at, regex.length());
    if (back.lookingAt()) {
      java.append("\\k<").append(names.getOrDefault(back.group(1), back.group(1))).append('>');
      return back.end();
    }
    if (codePoint.lookingAt()) {
      java.append("\\x{").append(codePoint.group(1)).append('}');
      return codePoint.end();
    }
    if (property.lookingAt()) {
      java.append('\\')
          .append(property.group(1))
          .append('{')
          .append(property(property.group(2)))
          .append('}');
      return property.end();
    }
    if (NUL.matcher(regex).region(at, regex.length()).lookingAt()) {
      java.append("\\x00");
      return at + 2;
    }
    int end = Math.min(at + 2, regex.length());
    java.append(regex, at, end);
    return end;
  }

  /** Java has fewer characters for the names of groups, and each name once. */
  private static String name(String given, int at, Map<String, String> names) {
    String plain = "group" + at;
    names.putIfAbsent(given, plain);
    return plain;
  }

  private static String property(String given) {
    int equals = given.indexOf('=');
    String kind = equals < 0 ? "" : given.substring(0, equals);
    String value = given.substring(equals + 1);
    return switch (kind) {
      case "Script", "sc", "Script_Extensions", "scx" -> "script=" + value;
      case "General_Category", "gc", "" ->
          CATEGORIES.containsKey(value)
              ? CATEGORIES.get(value)
              : kind.isEmpty() && !known(value) && known("Is" + value) ? "Is" + value : value;
      default -> given;
    };
  }

  private static boolean known(String property) {
    try {
      Pattern.compile("\\p{" + property + "}");
      return true;
    } catch (PatternSyntaxException unknown) {
      return false;
    }
  }

  /** A search has looked at too many characters. */
  private static final class TooLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super("", null, false, false);
    }
  }

  /** A text that counts how often it is looked at, over all its parts. */
  private record CountedText(String text, int[] looks, int from, int to) implements CharSequence {

    @Override
    public char charAt(int index) {
      if (++looks[0] > MAX_LOOKS) {
        throw new TooLong();
      }
      return text.charAt(from + index);
    }

    @Override
    public int length() {
      return to - from;
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new CountedText(text, looks, from + start, from + end);
    }

    @Override
    public String toString() {
      return text.substring(from, to);
    }
  }
}
