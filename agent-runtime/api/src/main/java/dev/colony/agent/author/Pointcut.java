package dev.colony.agent.author;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Which calls a hook is for. It is written in the language of {@link Hook}; {@code toString} writes
 * that too, and what it writes reads back as an equal pointcut.
 *
 * <pre>
 *   pointcut := and { "or" and }
 *   and      := not { "and" not }
 *   not      := "not" not | "(" pointcut ")" | call | within | type | action
 *   call     := glob "." glob              the join point's name, as in ActionDispatcher.dispatch
 *   within   := "within" "(" glob ")"      the called capability's key
 *   type     := "type" "(" name ")"        the called object's class or one of its supertypes, by
 *                                          simple name; or an ActionType that the call is given
 *   action   := "action" "(" glob ")"      the key of the action that the call is given
 * </pre>
 *
 * A glob is of letters, digits, {@code _ $ -} and {@code *}, which stands for any characters, none
 * included; the globs of {@code within} and {@code action} may hold dots.
 */
public sealed interface Pointcut {

  /** Longest text of a pointcut, in characters. */
  int MAX_LENGTH = 1024;

  /**
   * Reads a pointcut.
   *
   * @throws IllegalArgumentException saying what was expected at which character
   */
  static Pointcut parse(String text) {
    return new PointcutParser(text).parse();
  }

  default Pointcut and(Pointcut other) {
    return new And(this, other);
  }

  default Pointcut or(Pointcut other) {
    return new Or(this, other);
  }

  default Pointcut negated() {
    return new Not(this);
  }

  /** Both. */
  record And(Pointcut left, Pointcut right) implements Pointcut {
    @Override
    public String toString() {
      return operand(left, left instanceof Or) + " and " + operand(right, isBinary(right));
    }
  }

  /** At least one. */
  record Or(Pointcut left, Pointcut right) implements Pointcut {
    @Override
    public String toString() {
      return left + " or " + operand(right, right instanceof Or);
    }
  }

  /** The others. */
  record Not(Pointcut inner) implements Pointcut {
    @Override
    public String toString() {
      return "not " + operand(inner, isBinary(inner));
    }
  }

  /** Calls by the join point's name. */
  record Call(String type, String method) implements Pointcut {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$*-]{1,256}");

    public Call {
      check(NAME, "the type of a call", type);
      check(NAME, "the method of a call", method);
    }

    @Override
    public String toString() {
      return type + "." + method;
    }
  }

  /** Calls of a capability, by its key. */
  record Within(String capabilityKey) implements Pointcut {
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9._$*-]{1,256}");

    public Within {
      check(KEY, "a capability's key", capabilityKey);
    }

    @Override
    public String toString() {
      return "within(" + capabilityKey + ")";
    }
  }

  /** Calls of objects of a class, or of actions of a type. */
  record Type(String name) implements Pointcut {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$]{1,256}");

    public Type {
      check(NAME, "a type", name);
    }

    @Override
    public String toString() {
      return "type(" + name + ")";
    }
  }

  /** Calls that are given an action, by its key. */
  record OfAction(String key) implements Pointcut {
    public OfAction {
      check(Within.KEY, "an action's key", key);
    }

    @Override
    public String toString() {
      return "action(" + key + ")";
    }
  }

  private static boolean isBinary(Pointcut pointcut) {
    return pointcut instanceof And || pointcut instanceof Or;
  }

  private static String operand(Pointcut pointcut, boolean parenthesized) {
    return parenthesized ? "(" + pointcut + ")" : pointcut.toString();
  }

  private static void check(Pattern shape, String what, String text) {
    Objects.requireNonNull(text, what);
    if (!shape.matcher(text).matches()) {
      throw new IllegalArgumentException(what + " cannot be: " + text);
    }
  }

  /** Reads the pointcut language by recursive descent. */
  static final class PointcutParser {

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
}
