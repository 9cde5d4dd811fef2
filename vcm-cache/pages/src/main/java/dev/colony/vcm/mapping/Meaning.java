package dev.colony.vcm.mapping;

import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * Tells by what texts mean how near they are to a question, so that a search finds what says the
 * same in other words. Found by {@link ServiceLoader}; without one a search knows words only. Has a
 * public constructor without parameters, which is quick, and is thread-safe.
 */
public interface Meaning {

  /**
   * How near each of the texts is, in their order: from -1 to 1, comparable within one call only;
   * empty where it cannot be told, of which the log has the reason. Blocks.
   *
   * @param texts of some hundred characters each
   */
  List<Double> nearness(String question, List<String> texts);

  /** The one on the class path. */
  static Optional<Meaning> found() {
    return Found.ONE;
  }

  /** Looked for once, and where a search first needs it. */
  final class Found {
    private static final Optional<Meaning> ONE = ServiceLoader.load(Meaning.class).findFirst();

    private Found() {}
  }
}
