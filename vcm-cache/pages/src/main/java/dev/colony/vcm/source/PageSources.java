package dev.colony.vcm.source;

import com.typesafe.config.ConfigException;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The kinds of sources on the class path. Immutable. */
public final class PageSources {

  private final Map<String, ContextPageSourceProvider> providers;

  private PageSources(Map<String, ContextPageSourceProvider> providers) {
    this.providers = providers;
  }

  /**
   * Those that {@link ServiceLoader} finds.
   *
   * @throws IllegalStateException if two of them have one scheme
   */
  public static PageSources installed() {
    return of(ServiceLoader.load(ContextPageSourceProvider.class));
  }

  static PageSources of(Iterable<ContextPageSourceProvider> providers) {
    Map<String, ContextPageSourceProvider> all = new TreeMap<>();
    for (ContextPageSourceProvider one : providers) {
      ContextPageSourceProvider other = all.put(one.scheme(), one);
      if (other != null) {
        throw new IllegalStateException(
            "sources %s: are opened by both %s and %s: leave one of them out of the class path"
                .formatted(one.scheme(), other.getClass().getName(), one.getClass().getName()));
      }
    }
    return new PageSources(all);
  }

  /**
   * The source that a spec names; one that refuses to be read, with the reason, where it names
   * none. Reads nothing yet.
   */
  public ContextPageSource open(String spec, SourceContext context) {
    try {
      SourceSpec parsed = SourceSpec.parse(spec);
      ContextPageSourceProvider provider = providers.get(parsed.scheme());
      return provider == null
          ? ContextPageSource.refused(
              "%s: no source has the scheme %s; give a directory or one of %s"
                  .formatted(spec, parsed.scheme(), forms()))
          : provider.open(parsed, context);
    } catch (ConfigException | IllegalArgumentException bad) {
      return ContextPageSource.refused(bad.getMessage());
    }
  }

  /** Whether a spec names a scope of a blackboard. */
  public boolean needsBlackboards(String spec) {
    try {
      ContextPageSourceProvider provider = providers.get(SourceSpec.parse(spec).scheme());
      return provider != null && provider.needsBlackboards();
    } catch (IllegalArgumentException refusedWhenOpened) {
      return false;
    }
  }

  /** How the specs are written, with commas between them. */
  public String forms() {
    return providers.values().stream()
        .map(ContextPageSourceProvider::form)
        .collect(Collectors.joining(", "));
  }
}
