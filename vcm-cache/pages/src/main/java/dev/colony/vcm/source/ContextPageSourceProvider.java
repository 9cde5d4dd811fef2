package dev.colony.vcm.source;

import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboards;
import java.io.InputStream;
import java.util.Optional;

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

  /**
   * What a source is opened with.
   *
   * @param config with the keys of {@code colony.vcm}
   * @param tenant on whose behalf it is read
   * @param blackboards where its blackboards are; empty where the caller has none
   * @param input what is piped to the caller; empty where nothing is
   */
  record SourceContext(
      Config config,
      String tenant,
      Optional<Blackboards> blackboards,
      Optional<InputStream> input) {

    public SourceContext(Config config, String tenant) {
      this(config, tenant, Optional.empty(), Optional.empty());
    }

    public SourceContext withBlackboards(Blackboards newBlackboards) {
      return new SourceContext(config, tenant, Optional.of(newBlackboards), input);
    }

    public SourceContext withInput(InputStream newInput) {
      return new SourceContext(config, tenant, blackboards, Optional.of(newInput));
    }
  }
}
