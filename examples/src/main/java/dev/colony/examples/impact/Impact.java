package dev.colony.examples.impact;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What a change would break.
 *
 * @param question the change in words
 * @param judged whether a model was asked what becomes of the places
 * @param symbols what changes
 * @param sites what depends on it: those that have to change first, then the nearest
 * @param tests files of tests that reach it
 * @param notFollowed names that too many things have, so that what uses them is not known
 * @param leftOut dependents that were found and not looked at
 * @param dropped judgements of the model of places that it was not shown
 * @param summary the model's, in a few sentences; empty where it gave none
 * @param unread why the model judged some places not; empty where it was asked about all
 */
public record Impact(
    String question,
    boolean judged,
    List<Changed> symbols,
    List<Site> sites,
    List<String> tests,
    List<String> notFollowed,
    int leftOut,
    int dropped,
    String summary,
    String unread) {

  /**
   * A symbol that changes.
   *
   * @param kind what it is, as in {@code function}
   * @param place where it is defined, as in {@code src/Tree.java:12-20}
   */
  public record Changed(String symbol, String kind, String place) {}

  /** What becomes of a place. */
  public enum Verdict {
    /** It no longer compiles, or does something wrong. */
    MUST_CHANGE,
    /** It may do something else than before. */
    CHECK,
    /** Nobody can say from what was shown, or the model did not say. */
    UNSURE,
    UNAFFECTED
  }

  /**
   * A place that depends on what changes.
   *
   * @param distance 1 where it uses the symbol itself, 2 where it uses what is around such a place
   * @param uses the name that stands there
   * @param within the definition around it; empty where there is none
   * @param test whether it is in a file of tests
   * @param text of the line
   * @param why the model's reason; empty where it gave none
   */
  public record Site(
      String file,
      int line,
      int distance,
      String uses,
      String within,
      boolean test,
      String text,
      Verdict verdict,
      String why) {}

  /** Reads what an analysis gave. */
  public static Impact read(JsonNode json) {
    return PiecewisePolicy.read(json, Impact.class);
  }

  /** As text for people, a line each. */
  public List<String> lines() {
    return new ImpactText(this).lines();
  }
}
