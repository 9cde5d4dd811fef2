package dev.colony.vcm.source;

/**
 * Opens the sources of one scheme. Found by {@link java.util.ServiceLoader}; has a public
 * constructor without parameters.
 */
public interface ContextPageSourceProvider {

  /** The scheme, in lower case, two characters at least. */
  String scheme();

  /** How a spec is written, in one line, for example {@code git:PATH?history=N#REVISION}. */
  String form();

  /** Whether its specs name a scope of a blackboard, so that it cannot do without one. */
  default boolean needsBlackboards() {
    return false;
  }

  /**
   * Opens a source; reads nothing yet.
   *
   * @throws IllegalArgumentException if the spec names none, in one line that says what to do
   */
  ContextPageSource open(SourceSpec spec, SourceContext context);
}
