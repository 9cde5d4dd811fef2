package dev.colony.vcm.source;

import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboards;
import java.io.InputStream;
import java.util.Optional;

/**
 * What a source is opened with.
 *
 * @param config with the keys of {@code colony.vcm}
 * @param tenant on whose behalf it is read
 * @param blackboards where its blackboards are; empty where the caller has none
 * @param input what is piped to the caller; empty where nothing is
 */
public record SourceContext(
    Config config, String tenant, Optional<Blackboards> blackboards, Optional<InputStream> input) {

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
