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
}
