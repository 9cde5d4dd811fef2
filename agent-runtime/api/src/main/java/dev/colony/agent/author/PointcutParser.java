package dev.colony.agent.author;

/** Reads the pointcut language by recursive descent. */
final class PointcutParser {

  /** Deepest nesting of parentheses and negations: a pointcut is never a way to a full stack. */
  private static final int MAX_DEPTH = 32;

  private final String text;
  private int at;
  private int depth;

  PointcutParser(String text) {
    if (text.length() > Pointcut.MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a pointcut has at most "
              + Pointcut.MAX_LENGTH
              + " characters, this one has "
              + text.length());
    }
    this.text = text;
  }

  Pointcut parse() {
    Pointcut read = or();
    if (at < text.length()) {
      throw expected("'and', 'or' or the end");
    }
    return read;
  }

  private Pointcut or() {
    Pointcut left = and();
    while (keyword("or")) {
      left = left.or(and());
    }
    return left;
  }

  private Pointcut and() {
    Pointcut left = unary();
    while (keyword("and")) {
      left = left.and(unary());
    }
    return left;
  }

  private Pointcut unary() {
    if (++depth > MAX_DEPTH) {
      throw expected("at most " + MAX_DEPTH + " levels of nesting");
    }
    Pointcut read;
    if (keyword("not")) {
      read = unary().negated();
    } else if (symbol('(')) {
      read = or();
      require(')');
    } else {
      read = primary();
    }
    depth--;
    return read;
  }

  private Pointcut primary() {
    int start = skipBlanks();
    String first = word(false, "Type.method, within(key), type(Name) or action(key)");
    if (symbol('(')) {
      return inParentheses(first, start);
    }
    if (!(at < text.length() && text.charAt(at) == '.')) {
      throw expected("'.' and a method after " + first);
    }
    at++;
    return new Pointcut.Call(first, word(false, "a method"));
  }

  private Pointcut inParentheses(String function, int start) {
    Pointcut read =
        switch (function) {
          case "within" -> new Pointcut.Within(word(true, "a capability's key"));
          case "type" -> type();
          case "action" -> new Pointcut.OfAction(word(true, "an action's key"));
          default -> {
            at = start;
            throw expected("within(key), type(Name) or action(key)");
          }
        };
    require(')');
    return read;
  }

  private Pointcut type() {
    int start = skipBlanks();
    String name = word(false, "a class or an action type");
    if (name.contains("*") || name.contains("-")) {
      at = start;
      throw expected("a class or an action type without wildcards");
    }
    return new Pointcut.Type(name);
  }

  private String word(boolean dots, String what) {
    int start = skipBlanks();
    while (at < text.length() && isPart(text.charAt(at), dots)) {
      at++;
    }
    if (at == start) {
      throw expected(what);
    }
    return text.substring(start, at);
  }

  private boolean keyword(String word) {
    int start = skipBlanks();
    int end = start + word.length();
    boolean there =
        text.startsWith(word, start)
            && (end == text.length()
                || Character.isWhitespace(text.charAt(end))
                || text.charAt(end) == '(');
    if (there) {
      at = end;
    }
    return there;
  }

  private boolean symbol(char wanted) {
    skipBlanks();
    boolean there = at < text.length() && text.charAt(at) == wanted;
    if (there) {
      at++;
    }
    return there;
  }

  private void require(char wanted) {
    if (!symbol(wanted)) {
      throw expected("'" + wanted + "'");
    }
  }

  private int skipBlanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static boolean isPart(char c, boolean dots) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || "_$*-".indexOf(c) >= 0
        || dots && c == '.';
  }

  private IllegalArgumentException expected(String what) {
    String found = at < text.length() ? "'" + text.charAt(at) + "'" : "the end";
    return new IllegalArgumentException(
        "pointcut \""
            + text
            + "\", character "
            + (at + 1)
            + ": expected "
            + what
            + ", found "
            + found);
  }
}
