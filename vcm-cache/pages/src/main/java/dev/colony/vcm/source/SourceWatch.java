package dev.colony.vcm.source;

import java.util.Set;

/** Tells of changes of a source until it is closed. */
public interface SourceWatch extends AutoCloseable {

  /** Is told of changes, one call after the other. */
  interface Listener {

    /** Something has changed just now; one of the others follows when it has been quiet. */
    default void stirred() {}

    /** These files may have changed, come or gone. */
    void changed(Set<String> paths);

    /** Anything may have changed. */
    void anything();
  }

  /** Whether each change is told of at once, and not only when the source is looked through. */
  default boolean prompt() {
    return true;
  }

  /** Waits until no call of the listener is under way. Does nothing the second time. */
  @Override
  void close();
}
