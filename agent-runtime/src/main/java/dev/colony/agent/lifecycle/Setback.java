package dev.colony.agent.lifecycle;

/**
 * Why an agent is claimed anew, as far as the actor that claims it knows.
 *
 * @param why one line for people; empty where nothing is known
 */
public record Setback(Kind kind, String why) {

  /** Nothing is known of the actor before: it has left, or its node died with it. */
  public static final Setback UNKNOWN = new Setback(Kind.UNKNOWN, "");

  /** The store was away; that passes. */
  public static final Setback PASSING = new Setback(Kind.PASSING, "");

  /** What is known. */
  public enum Kind {
    UNKNOWN,
    PASSING,
    /** The actor itself has failed, as it will again if nothing else changes. */
    FAILED,
    /** The journal refuses for good what came of the agent's work. */
    REJECTED
  }

  public Setback {
    why = Brief.line(why);
  }

  public static Setback failed(String why) {
    return new Setback(Kind.FAILED, why);
  }

  public static Setback rejected(String why) {
    return new Setback(Kind.REJECTED, why);
  }
}
