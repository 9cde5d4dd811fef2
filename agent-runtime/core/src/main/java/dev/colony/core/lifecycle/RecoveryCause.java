package dev.colony.core.lifecycle;

/**
 * Why an agent is claimed anew, as far as the actor that claims it knows.
 *
 * @param why one line for people; empty where nothing is known
 */
public record RecoveryCause(Kind kind, String why) {

  /** Nothing is known of the actor before: it has left, or its node died with it. */
  public static final RecoveryCause UNKNOWN = new RecoveryCause(Kind.UNKNOWN, "");

  /** The store was away; that passes. */
  public static final RecoveryCause PASSING = new RecoveryCause(Kind.PASSING, "");

  /** What is known. */
  public enum Kind {
    UNKNOWN,
    PASSING,
    /** The actor itself has failed, as it will again if nothing else changes. */
    FAILED,
    /** The journal refuses for good what came of the agent's work. */
    REJECTED,
    /** The store has lost events, and an operator has decided that the open run ends. */
    LOST
  }

  public RecoveryCause {
    why = ReasonText.line(why);
  }

  public static RecoveryCause failed(String why) {
    return new RecoveryCause(Kind.FAILED, why);
  }

  public static RecoveryCause lost(String why) {
    return new RecoveryCause(Kind.LOST, why);
  }

  public static RecoveryCause rejected(String why) {
    return new RecoveryCause(Kind.REJECTED, why);
  }
}
