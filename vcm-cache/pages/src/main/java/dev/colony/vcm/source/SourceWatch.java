package dev.colony.vcm.source;

import java.util.Set;

/** Tells of changes of a source until it is closed. */
public interface SourceWatch extends AutoCloseable {

  /** Is told of changes, one call after the other. */
  interface Listener {

    /** These files may have changed, come or gone. */
    void changed(Set<String> paths);

    /** Anything may have changed. */
    void anything();
  }

  /** Waits until no call of the listener is under way. Does nothing the second time. */
  @Override
  void close();
}
