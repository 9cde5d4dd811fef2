package dev.colony.deploy.bench;

/**
 * What was run before anything was measured.
 *
 * @param quiet whether the cost of a step had settled; otherwise as many rounds were run as may be
 */
public record WarmUp(int rounds, boolean quiet) {

  static final WarmUp NONE = new WarmUp(0, false);

  /** For people. */
  String toText() {
    return rounds == 0
        ? "none"
        : rounds + " rounds" + (quiet ? "" : ", and the cost of a step had not settled");
  }
}
